package acqstore.imagej;

import ij.IJ;
import ij.VirtualStack;
import ij.macro.Interpreter;
import ij.process.ImageProcessor;
import java.awt.EventQueue;
import java.awt.Font;
import java.awt.GraphicsEnvironment;
import java.io.IOException;

/** The planes of an acquisition, each read from the server when it is needed. */
final class PlaneStack extends VirtualStack {
  private final Session session;
  private final Scene scene;
  private final PlaneLabels labels;
  private final PlaneCache cache;
  /** What the last message said; null after a plane that could be read. */
  private volatile String told;

  PlaneStack(Session session, Scene scene, PlaneLabels labels) {
    super(scene.width, scene.height);
    this.session = session;
    this.scene = scene;
    this.labels = labels;
    cache = new PlaneCache((long) scene.samples() * scene.type.bits / 8);
    setBitDepth(scene.type.bits);
  }

  Session session() {
    return session;
  }

  @Override
  public int size() {
    return scene.planes();
  }

  @Override
  public int getSize() {
    return size();
  }

  @Override
  public String getSliceLabel(int n) {
    return labels.label(n - 1);
  }

  @Override
  public String getDirectory() {
    return null;
  }

  @Override
  public String getFileName(int n) {
    return getSliceLabel(n);
  }

  @Override
  public void deleteSlice(int n) {
    throw new UnsupportedOperationException("Planes of an acquisition cannot be deleted. Duplicate the stack first.");
  }

  @Override
  public void reduce(int factor) {
    throw new UnsupportedOperationException("An acquisition cannot be reduced. Duplicate the stack first.");
  }

  /**
   * Returns a plane, which the caller may change.
   *
   * @throws IllegalStateException when it cannot be read. In a window, a plane that shows the error stands in its place.
   */
  @Override
  public ImageProcessor getProcessor(int n) {
    int plane = translate(n) - 1;
    if (plane < 0 || plane >= size()) throw new IllegalArgumentException("Argument out of range: " + n);
    ImageProcessor processor;
    try {
      Object samples = read(plane);
      told = null;
      processor = scene.type.processor(scene.width, scene.height, samples);
    } catch (IOException error) {
      String message = error.getMessage();
      if (!isForWindow()) throw new IllegalStateException(message, error);
      tell(message);
      processor = errorPlane(message);
    }
    if (cTable != null) processor.setCalibrationTable(cTable);
    processor.setSliceNumber(n);
    return processor;
  }

  private Object read(int plane) throws IOException {
    Object kept = cache.get(plane);
    if (kept == null) {
      kept = scene.type.newArray(scene.samples());
      session.read(scene.channel(plane), scene.query(plane), scene.type, kept);
      cache.put(plane, kept);
    }
    // Commands change the samples that they are given.
    return scene.type.copy(kept);
  }

  /** True when a window changes to another plane. An exception would end its thread, or leave samples of the last one. */
  private static boolean isForWindow() {
    if (GraphicsEnvironment.isHeadless() || IJ.isMacro() || Interpreter.isBatchMode()) return false;
    for (StackTraceElement call : Thread.currentThread().getStackTrace()) {
      String method = call.getClassName() + "." + call.getMethodName();
      if (method.equals("ij.ImagePlus.setSlice") || method.equals("ij.CompositeImage.updateImage")) return true;
    }
    return false;
  }

  /** Says it once in a message, which must not wait: the caller holds the image. */
  private void tell(String message) {
    if (message.equals(told)) return;
    told = message;
    IJ.log(message);
    EventQueue.invokeLater(() -> IJ.error("Acquisition Store", message));
  }

  /** Returns a plane of no data: text on white, or on values that are not numbers where the type has such. */
  private ImageProcessor errorPlane(String message) {
    ImageProcessor processor = scene.type.processor(scene.width, scene.height, scene.type.newArray(scene.samples()));
    processor.setValue(scene.type.bits == 32 ? Double.NaN : Math.pow(2, scene.type.bits) - 1);
    processor.fill();
    processor.setValue(scene.type.bits == 32 ? 1 : 0);
    int size = Math.max(9, Math.min(scene.height / 12, scene.width / 24));
    processor.setFont(new Font("SansSerif", Font.PLAIN, size));
    processor.drawString("NO DATA\n" + message.replaceAll("(.{1,38})(\\s+|$)", "$1\n"), size, size * 2);
    return processor;
  }

  void close() {
    cache.clear();
    session.close();
  }
}
