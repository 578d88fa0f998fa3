/** Row-major samples of one plane. */
export type Samples = Float32Array;
