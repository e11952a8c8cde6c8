// Points on the GPU, with WebGL 2.

import { type Rgb, COLOURS } from "./colours.js";
import { FAR, type Painter, type Picture, QUIET, pointSize } from "./picture.js";
import { EYE_W, EYE_Z } from "./rotation.js";

// The projection of `projected` in rotation.ts. A larger value is nearer for the depth test.
const VERTEX = `#version 300 es
in vec4 place;
in float value;
uniform mat4 rotation;
uniform vec2 scale;
uniform float size;
uniform int dimensions;
out float level;
out float far;
void main() {
  vec4 at = rotation * place;
  float near_w = dimensions >= 4 ? ${EYE_W.toFixed(4)} / (${EYE_W.toFixed(4)} - at.w) : 1.0;
  float z = at.z * near_w;
  float near = dimensions >= 3 ? ${EYE_Z.toFixed(4)} / (${EYE_Z.toFixed(4)} - z) : 1.0;
  gl_Position = vec4(at.xy * near_w * near * scale, 0.98 - 1.96 * value, 1.0);
  gl_PointSize = size * near_w * near * (dimensions >= 3 ? mix(${QUIET.toFixed(4)}, 1.0, min(1.0, 2.0 * value)) : 1.0);
  level = value;
  far = dimensions >= 3 ? clamp((1.0 - z) * 0.5, 0.0, 1.0) : 0.0;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in float level;
in float far;
uniform sampler2D colours;
uniform vec3 background;
uniform bool round;
out vec4 colour;
void main() {
  if (round && distance(gl_PointCoord, vec2(0.5)) > 0.5) discard;
  vec3 own = texture(colours, vec2((level * ${COLOURS - 1}.0 + 0.5) / ${COLOURS}.0, 0.5)).rgb;
  colour = vec4(mix(own, background, far * ${FAR.toFixed(4)}), 1.0);
}`;

/** Paints with WebGL 2. */
export class GlPainter implements Painter {
  readonly #canvas: HTMLCanvasElement;
  readonly #gl: WebGL2RenderingContext;
  readonly #program: WebGLProgram;
  /** The places of the neurons of a layout; they are freed with it. */
  readonly #places = new WeakMap<Float32Array, WebGLBuffer>();
  readonly #values: WebGLBuffer;
  #colours: readonly Rgb[] | null = null;

  private constructor(canvas: HTMLCanvasElement, gl: WebGL2RenderingContext, program: WebGLProgram) {
    [this.#canvas, this.#gl, this.#program] = [canvas, gl, program];
    this.#values = gl.createBuffer();
    gl.useProgram(program);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  }

  /** Null if the browser has no WebGL 2. */
  static create(): GlPainter | null {
    const canvas = document.createElement("canvas");
    const gl = canvas.getContext("webgl2", { alpha: true, antialias: false, depth: true, preserveDrawingBuffer: true });
    const program = gl?.createProgram();
    if (!gl || !program) return null;
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
      const shader = gl.createShader(kind);
      if (!shader) return null;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    return gl.getProgramParameter(program, gl.LINK_STATUS) === true ? new GlPainter(canvas, gl, program) : null;
  }

  paint({ layout, rotation, values, colours, background, width, height, scale }: Picture): CanvasImageSource | null {
    const gl = this.#gl;
    if (gl.isContextLost()) return null;
    if (this.#canvas.width !== width || this.#canvas.height !== height) [this.#canvas.width, this.#canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.#setColours(colours);
    const uniform = (name: string) => gl.getUniformLocation(this.#program, name);
    // By rows; WebGL 2 transposes it.
    gl.uniformMatrix4fv(uniform("rotation"), true, Float32Array.from(rotation));
    gl.uniform2f(uniform("scale"), (2 * scale) / width, (2 * scale) / height);
    gl.uniform1f(uniform("size"), pointSize({ layout, scale }));
    gl.uniform1i(uniform("dimensions"), layout.dimensions);
    gl.uniform1i(uniform("round"), Number(layout.dimensions > 2 || !layout.isGrid));
    gl.uniform3f(uniform("background"), background[0] / 255, background[1] / 255, background[2] / 255);
    this.#attribute("place", 4, this.#placesOf(layout.points));
    gl.bindBuffer(gl.ARRAY_BUFFER, this.#values);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    this.#attribute("value", 1, this.#values);
    gl.drawArrays(gl.POINTS, 0, layout.size);
    return this.#canvas;
  }

  #placesOf(points: Float32Array): WebGLBuffer {
    const gl = this.#gl;
    const known = this.#places.get(points);
    if (known) return known;
    const buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.STATIC_DRAW);
    this.#places.set(points, buffer);
    return buffer;
  }

  #attribute(name: string, width: number, buffer: WebGLBuffer): void {
    const gl = this.#gl;
    const place = gl.getAttribLocation(this.#program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, width, gl.FLOAT, false, 0, 0);
  }

  #setColours(colours: readonly Rgb[]): void {
    if (this.#colours === colours) return;
    this.#colours = colours;
    const gl = this.#gl;
    const texels = Uint8Array.from(colours.flatMap((colour) => [...colour, 255]));
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, COLOURS, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
  }
}
