// The camera: which part of the world the canvas shows. y points up in the world and down on the screen.

import { heightOf, widthOf } from "./geometry.js";

const MARGIN_PX = 20;

export class View {
  scale = 1;
  x = 0;
  y = 0;
  width = 1;
  height = 1;

  toScreen([x, y]) {
    return [x * this.scale + this.x, -y * this.scale + this.y];
  }

  toWorld([x, y]) {
    return [(x - this.x) / this.scale, -(y - this.y) / this.scale];
  }

  /** The canvas transform of something with this matrix, in device pixels. */
  transformOf([a, b, c, d, e, f], ratio) {
    const scale = this.scale * ratio;
    return [scale * a, -scale * b, scale * c, -scale * d, scale * e + this.x * ratio, -scale * f + this.y * ratio];
  }

  /** The scale and shift that show a box whole. */
  fitting(box) {
    const width = Math.max(this.width - 2 * MARGIN_PX, 1);
    const height = Math.max(this.height - 2 * MARGIN_PX, 1);
    const scale = Math.min(width / (widthOf(box) || 1), height / (heightOf(box) || 1));
    return {
      scale,
      x: this.width / 2 - (scale * (box.left + box.right)) / 2,
      y: this.height / 2 + (scale * (box.bottom + box.top)) / 2,
    };
  }

  zoom(factor, [x, y]) {
    this.x = x - (x - this.x) * factor;
    this.y = y - (y - this.y) * factor;
    this.scale *= factor;
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
  }

  sees({ left, right, bottom, top }) {
    const [x1, y1] = this.toScreen([left, top]);
    const [x2, y2] = this.toScreen([right, bottom]);
    return x2 >= 0 && y2 >= 0 && x1 <= this.width && y1 <= this.height;
  }
}
