// A photograph: by the camera of this machine, or by the phone's own camera where that takes better ones.

import { find, trouble } from "./dom.js";

/** A photograph as a file, or null if none was taken here. */
export async function takePhotograph() {
  const isPhone = matchMedia("(pointer: coarse)").matches;
  if (isPhone || !navigator.mediaDevices) {
    find("capture").click();
    return null;
  }
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 3840 }, height: { ideal: 2160 } } });
  } catch {
    trouble("There is no camera here, or the browser may not use it: choose a picture instead.");
    return null;
  }
  const dialog = find("camera-dialog");
  const video = find("camera-video");
  video.srcObject = stream;
  dialog.showModal();
  const taken = await new Promise((resolve) => {
    find("camera-take").onclick = () => resolve(grab(video));
    find("camera-close").onclick = () => resolve(null);
    dialog.oncancel = () => resolve(null);
  });
  dialog.close();
  for (const track of stream.getTracks()) track.stop();
  video.srcObject = null;
  return taken;
}

async function grab(video) {
  const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
  canvas.getContext("2d").drawImage(video, 0, 0);
  const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.95 });
  return new File([blob], "photograph.jpg", { type: "image/jpeg" });
}
