// Requests that may be refused: what was wrong is told in one line on the page.

import { Refused } from "./api.js";
import { trouble } from "./dom.js";

/** Do what may be refused, and tell it in one line if it is. */
export async function attempt(deed) {
  trouble();
  document.body.setAttribute("aria-busy", "true");
  try {
    return await deed();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    trouble(error.message);
    return null;
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}
