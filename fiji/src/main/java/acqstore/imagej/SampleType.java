package acqstore.imagej;

import ij.process.ByteProcessor;
import ij.process.FloatProcessor;
import ij.process.ImageProcessor;
import ij.process.ShortProcessor;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Types of samples that ImageJ has, and how the server sends them. */
enum SampleType {
  UINT8("|u1", 8, true),
  UINT16("<u2", 16, true),
  /** ImageJ adds 32,768, and shows values without it. */
  INT16("<i2", 16, true),
  FLOAT32("<f4", 32, false);

  private static final int PART_BYTES = 1 << 16;

  final String dtype;
  final int bits;
  final boolean isNative;

  SampleType(String dtype, int bits, boolean isNative) {
    this.dtype = dtype;
    this.bits = bits;
    this.isNative = isNative;
  }

  /** Returns the type for samples of a file; float for those that ImageJ does not have. */
  static SampleType of(String numpyName) {
    if ("uint8".equals(numpyName)) return UINT8;
    if ("uint16".equals(numpyName)) return UINT16;
    if ("int16".equals(numpyName)) return INT16;
    return FLOAT32;
  }

  /** What ImageJ stores for a sample of the value 0. */
  int offset() {
    return this == INT16 ? 32_768 : 0;
  }

  Object newArray(int samples) {
    if (bits == 8) return new byte[samples];
    return bits == 16 ? new short[samples] : new float[samples];
  }

  Object copy(Object samples) {
    if (bits == 8) return ((byte[]) samples).clone();
    return bits == 16 ? ((short[]) samples).clone() : ((float[]) samples).clone();
  }

  ImageProcessor processor(int width, int height, Object samples) {
    if (bits == 8) return new ByteProcessor(width, height, (byte[]) samples);
    if (bits == 16) return new ShortProcessor(width, height, (short[]) samples, null);
    return new FloatProcessor(width, height, (float[]) samples);
  }

  /** Fills an array of this type from little-endian samples. */
  void read(InputStream in, Object target) throws IOException {
    int samples = Array.getLength(target);
    int bytesEach = bits / 8;
    byte[] part = new byte[PART_BYTES];
    ByteBuffer view = ByteBuffer.wrap(part).order(ByteOrder.LITTLE_ENDIAN);
    for (int done = 0; done < samples; ) {
      int count = Math.min(samples - done, PART_BYTES / bytesEach);
      readFully(in, part, count * bytesEach);
      if (bits == 8) System.arraycopy(part, 0, (byte[]) target, done, count);
      else if (bits == 16) toShorts(view, (short[]) target, done, count);
      else view.asFloatBuffer().get((float[]) target, done, count);
      done += count;
    }
    if (in.read() >= 0) throw new IOException("the plane is longer than expected");
  }

  private void toShorts(ByteBuffer view, short[] target, int from, int count) {
    view.asShortBuffer().get(target, from, count);
    if (offset() == 0) return;
    for (int i = from; i < from + count; i++) target[i] ^= (short) 0x8000;
  }

  private static void readFully(InputStream in, byte[] target, int length) throws IOException {
    for (int done = 0; done < length; ) {
      int more = in.read(target, done, length - done);
      if (more < 0) throw new EOFException("the plane ends early");
      done += more;
    }
  }
}
