import { lutTable } from '../../luts/luts.ts';
import { COLOR, type Content, EVERYWHERE, RESOLVE, reduceShader } from './shaders.ts';

export type Gl = WebGL2RenderingContext;

/** Rows of the texture of color tables. */
const LUT_ROWS = 64;

/** Texture unit for creating textures, which no program reads. */
export const SCRATCH = 7;

/** A compiled program with its uniforms. */
class Program {
  readonly #gl: Gl;
  readonly #program: WebGLProgram;
  readonly #places = new Map<string, WebGLUniformLocation | null>();

  constructor(gl: Gl, fragment: string, samplers: readonly string[]) {
    this.#gl = gl;
    this.#program = link(gl, fragment);
    gl.useProgram(this.#program);
    samplers.forEach((name, unit) => {
      gl.uniform1i(this.place(name), unit);
    });
  }

  use(): void {
    this.#gl.useProgram(this.#program);
  }

  place(name: string): WebGLUniformLocation | null {
    let place = this.#places.get(name);
    if (place === undefined) {
      place = this.#gl.getUniformLocation(this.#program, name);
      this.#places.set(name, place);
    }
    return place;
  }
}

function link(gl: Gl, fragment: string): WebGLProgram {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, EVERYWHERE],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind) as WebGLShader;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    gl.deleteShader(shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    const logs = (gl.getAttachedShaders(program) ?? []).map((shader) => gl.getShaderInfoLog(shader));
    throw new Error(`the graphics driver refused a shader: ${gl.getProgramInfoLog(program)} ${logs.join(' ')}`);
  }
  return program;
}

/** A texture with one row of integers: bounds of cells, or cells of pixels. It is filled for each picture. */
class IntegerRow {
  readonly #gl: Gl;
  #texture: WebGLTexture | null = null;
  #capacity = 0;

  constructor(gl: Gl) {
    this.#gl = gl;
  }

  /** Fills the texture and leaves it bound to the texture unit. */
  fill(unit: number, values: Int32Array<ArrayBuffer>): void {
    const gl = this.#gl;
    gl.activeTexture(gl.TEXTURE0 + unit);
    if (values.length > this.#capacity) {
      gl.deleteTexture(this.#texture);
      this.#texture = gl.createTexture();
      this.#capacity = Math.ceil(values.length / 256) * 256;
      gl.bindTexture(gl.TEXTURE_2D, this.#texture);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.R32I, this.#capacity, 1);
      nearest(gl, gl.TEXTURE_2D);
    } else gl.bindTexture(gl.TEXTURE_2D, this.#texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, values.length, 1, gl.RED_INTEGER, gl.INT, values);
  }
}

/** A texture to draw into: RGBA32UI (cells) or R32UI (shown values). It grows but never shrinks. */
export class DrawTarget {
  readonly #gl: Gl;
  readonly #format: number;
  texture: WebGLTexture | null = null;
  #frame: WebGLFramebuffer | null = null;
  width = 0;
  height = 0;

  constructor(gl: Gl, format: number) {
    this.#gl = gl;
    this.#format = format;
  }

  /** Makes the texture at least this large and binds it for drawing. */
  begin(width: number, height: number): void {
    const gl = this.#gl;
    if (width > this.width || height > this.height) this.#allocate(width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frame);
  }

  #allocate(width: number, height: number): void {
    const gl = this.#gl;
    this.release();
    const maxSize = gl.getParameter(gl.MAX_TEXTURE_SIZE) as number;
    this.width = Math.min(maxSize, Math.ceil(Math.max(width, this.width) / 64) * 64);
    this.height = Math.min(maxSize, Math.ceil(Math.max(height, this.height) / 64) * 64);
    this.texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + SCRATCH);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, this.#format, this.width, this.height);
    nearest(gl, gl.TEXTURE_2D);
    this.#frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.#frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.texture, 0);
  }

  release(): void {
    this.#gl.deleteTexture(this.texture);
    this.#gl.deleteFramebuffer(this.#frame);
    this.texture = null;
  }
}

/** Resources that last as long as a context: programs, color tables, and textures that all pictures use. */
export class Device {
  readonly gl: Gl;
  readonly resolve: Program;
  readonly color: Program;
  readonly rows: IntegerRow;
  readonly columns: IntegerRow;
  readonly cells: DrawTarget;
  readonly levelFrame: WebGLFramebuffer;
  readonly luts: LutTexture;
  readonly limits: { readonly maxSize: number; readonly maxLayers: number };

  readonly #reduce = new Map<string, Program>();

  constructor(gl: Gl) {
    this.gl = gl;
    gl.disable(gl.DITHER);
    gl.bindVertexArray(gl.createVertexArray());
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    this.resolve = new Program(gl, RESOLVE, ['cells']);
    this.color = new Program(gl, COLOR, ['values', 'luts', 'mapX', 'mapY']);
    this.rows = new IntegerRow(gl);
    this.columns = new IntegerRow(gl);
    this.cells = new DrawTarget(gl, gl.RGBA32UI);
    this.levelFrame = gl.createFramebuffer();
    this.luts = new LutTexture(gl);
    this.limits = {
      maxSize: gl.getParameter(gl.MAX_TEXTURE_SIZE) as number,
      maxLayers: gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS) as number,
    };
  }

  /** Returns the program that reduces samples or a level to cells; see `reduceShader`. */
  reduce(content: Content, simple: boolean): Program {
    const key = `${content} ${simple}`;
    const samplers = ['page', 'nextPage', 'rowBounds', 'columnBounds'];
    const program = this.#reduce.get(key) ?? new Program(this.gl, reduceShader(content, simple), samplers);
    this.#reduce.set(key, program);
    return program;
  }

  /** Draws into a part of the current target. */
  fill(x: number, y: number, width: number, height: number): void {
    this.gl.viewport(x, y, width, height);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, 3);
  }
}

/** A texture with 256 columns and one row for each of the color tables that were drawn last. */
class LutTexture {
  readonly texture: WebGLTexture;
  readonly #gl: Gl;
  /** Tables by row, and inverted ones, in the order of their use. */
  readonly #rows = new Map<string, number>();

  constructor(gl: Gl) {
    this.#gl = gl;
    this.texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + SCRATCH);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGB8, 256, LUT_ROWS);
    nearest(gl, gl.TEXTURE_2D);
  }

  /** Returns the row of a table, which is uploaded when it is not there. It stays until the next call. */
  row(id: string, invert: boolean): number {
    const gl = this.#gl;
    const key = `${id}${invert ? ' inverted' : ''}`;
    let row = this.#rows.get(key);
    if (row === undefined) {
      const [oldest] = this.#rows;
      row = this.#rows.size;
      if (oldest && row === LUT_ROWS) {
        row = oldest[1];
        this.#rows.delete(oldest[0]);
      }
      gl.activeTexture(gl.TEXTURE0 + SCRATCH);
      gl.bindTexture(gl.TEXTURE_2D, this.texture);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, row, 256, 1, gl.RGB, gl.UNSIGNED_BYTE, lutTable(id, invert));
    } else this.#rows.delete(key);
    this.#rows.set(key, row);
    return row;
  }
}

export function nearest(gl: Gl, target: number): void {
  gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
}
