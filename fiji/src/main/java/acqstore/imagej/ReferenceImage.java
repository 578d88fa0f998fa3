package acqstore.imagej;

import ij.ImagePlus;
import ij.ImageStack;
import ij.gui.Line;
import ij.gui.PolygonRoi;
import ij.gui.Roi;
import java.io.IOException;
import java.util.List;

/** The image on which a line scan was drawn, with the line as its selection. */
final class ReferenceImage {
  private ReferenceImage() {}

  /** Returns the image with all its samples; null when the file has none. */
  static ImagePlus open(Session session) throws IOException {
    if (!session.info().has("reference")) return null;
    Fields reference = session.info().object("reference");
    double[] shape = reference.object("plane").numbers("shape");
    int height = (int) shape[0];
    int width = (int) shape[1];
    List<Fields> channels = reference.objects("channels");
    ImageStack stack = new ImageStack(width, height);
    for (int i = 0; i < channels.size(); i++) {
      float[] samples = new float[Math.multiplyExact(width, height)];
      session.readReference(i, samples);
      stack.addSlice(channels.get(i).text("name"), samples);
    }
    ImagePlus image = new ImagePlus("Reference of " + session.info().object("source").text("name"), stack);
    image.setDimensions(channels.size(), 1, 1);
    image.setOpenAsHyperStack(channels.size() > 1);
    Images.calibratePlane(image.getCalibration(), reference.object("plane"));
    ImagePlus shown = Images.withChannels(image, channels, 0);
    shown.setRoi(line(reference));
    return shown;
  }

  /** Returns the scanned line; null when the file does not say where it is. */
  private static Roi line(Fields reference) {
    double[] x = reference.object("scanPath").numbers("x");
    double[] y = reference.object("scanPath").numbers("y");
    if (x != null && y != null && x.length > 2) {
      return named(new PolygonRoi(centered(x), centered(y), x.length, Roi.POLYLINE));
    }
    double[] ends = reference.numbers("lineRoi");
    if (ends == null) return null;
    float[] at = centered(ends);
    return named(new Line(at[0], at[1], at[2], at[3]));
  }

  /** Lines of ImageJ count from the center of the first pixel, the server from its edge. */
  private static float[] centered(double[] values) {
    float[] moved = new float[values.length];
    for (int i = 0; i < moved.length; i++) moved[i] = (float) (values[i] - 0.5);
    return moved;
  }

  private static Roi named(Roi roi) {
    roi.setName("Scanned line");
    return roi;
  }
}
