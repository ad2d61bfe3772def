// Tables of a leaderboard: a click on a heading sorts by it, and a box keeps the rows that hold all its words.
(() => {
  const NOTHING = "–";
  const number = (text) => (/^[<+-]?\d/.test(text) ? parseFloat(text.replace("<", "")) : NaN);

  function compare(a, b) {
    const [x, y] = [number(a), number(b)];
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return a.localeCompare(b, undefined, { numeric: true });
  }

  function sortable(table) {
    const body = table.tBodies[0];
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      heading.tabIndex = 0;
      heading.style.cursor = "pointer";
      heading.setAttribute("aria-sort", "none");
      const sort = () => {
        // Figures are best from the top, words from A.
        const first = [...body.rows].some((row) => !Number.isNaN(number(row.cells[column].textContent)))
          ? "descending"
          : "ascending";
        const before = heading.getAttribute("aria-sort");
        const way = before === "none" ? first : before === "ascending" ? "descending" : "ascending";
        headings.forEach((other) => other.setAttribute("aria-sort", "none"));
        heading.setAttribute("aria-sort", way);
        const rows = [...body.rows].sort((one, other) => {
          const [a, b] = [one, other].map((row) => row.cells[column].textContent.trim());
          if ((a === NOTHING) !== (b === NOTHING)) return a === NOTHING ? 1 : -1;
          return way === "ascending" ? compare(a, b) : compare(b, a);
        });
        body.append(...rows);
      };
      heading.addEventListener("click", sort);
      heading.addEventListener("keydown", (event) => event.key === "Enter" && sort());
    });
  }

  function searchable(table) {
    const box = document.createElement("input");
    const count = document.createElement("span");
    box.type = "search";
    box.placeholder = "only rows with these words";
    box.className = "leaderboard-filter";
    const filter = () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      count.textContent = ` ${shown} rows`;
    };
    box.addEventListener("input", filter);
    const place = table.closest(".md-typeset__scrollwrap") || table;
    place.before(box, count);
    filter();
  }

  function start() {
    const table = document.querySelector("article table");
    if (!table || !/Leaderboard/.test(document.querySelector("h1")?.textContent ?? "")) return;
    document.body.classList.add("wide");
    sortable(table);
    searchable(table);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
