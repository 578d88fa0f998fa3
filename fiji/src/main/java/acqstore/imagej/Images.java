package acqstore.imagej;

import ij.CompositeImage;
import ij.IJ;
import ij.ImagePlus;
import ij.ImageStack;
import ij.measure.Calibration;
import ij.process.ImageProcessor;
import ij.process.LUT;
import java.awt.Color;
import java.io.IOException;
import java.util.List;

/** Makes images of acquisitions, with what the server says about them. */
final class Images {
  private Images() {}

  /** Returns the image of a scene, whose planes are read when they are needed. */
  static ImagePlus open(Session session) throws IOException {
    Fields info = session.info();
    Scene scene = new Scene(info);
    PlaneStack stack = new PlaneStack(session, scene, new PlaneLabels(scene, session));
    try {
      // Errors of the first planes are errors of the open.
      for (int channel = 1; channel <= scene.channels.size(); channel++) stack.getProcessor(channel);
    } catch (IllegalStateException error) {
      if (error.getCause() instanceof IOException) throw (IOException) error.getCause();
      throw error;
    }
    ImagePlus image = new ImagePlus(title(session), stack);
    image.setDimensions(scene.channels.size(), scene.sections, scene.times);
    image.setOpenAsHyperStack(scene.planes() > 1);
    calibrate(image.getCalibration(), info);
    if (scene.type == SampleType.INT16) image.getCalibration().setSigned16BitCalibration();
    image.setProperty("Info", describe(info));
    for (String warning : info.texts("warnings")) IJ.log(image.getTitle() + ": " + warning);
    ImagePlus shown = withChannels(image, info.objects("channels"), scene.type.offset());
    if (scene.planes() > 1) {
      Closing.watch(shown, stack);
    } else {
      // ImageJ has read all samples of a single plane.
      image.setProp("Slice_Label", stack.getSliceLabel(1));
      stack.close();
    }
    return shown;
  }

  private static String title(Session session) {
    Fields source = session.info().object("source");
    for (Fields scene : source.objects("scenes")) {
      if (scene.integer("index", -1) == session.sceneIndex()) return source.text("name") + " - " + scene.text("name");
    }
    return source.text("name");
  }

  private static String describe(Fields info) {
    Fields source = info.object("source");
    Fields header = info.object("header");
    String date = (header.text("date") + " " + header.text("time")).trim();
    return "Path: " + source.text("path") + "\nFormat: " + source.text("format") + "\nRecorded: " + date + "\nSamples: "
        + source.text("sourceDtype") + "\n" + String.join("\n", info.texts("warnings"));
  }

  /** Enters steps and units: of the lines of a line scan, seconds. */
  static void calibrate(Calibration calibration, Fields info) {
    calibratePlane(calibration, info.object("plane"));
    Fields header = info.object("header");
    List<String> names = header.texts("dims");
    List<String> units = header.texts("physicalUnitsLabels");
    double[] steps = header.numbers("physicalUnits");
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).equals("Z") && units.get(i).equals("micrometer")) {
        calibration.pixelDepth = steps[i];
        calibration.setZUnit("micron");
      }
      if (names.get(i).equals("T") && units.get(i).equals("seconds")) {
        calibration.frameInterval = steps[i];
        calibration.fps = 1 / steps[i];
        calibration.setTimeUnit("sec");
      }
    }
  }

  static void calibratePlane(Calibration calibration, Fields plane) {
    List<Fields> axes = plane.objects("axes");
    calibration.pixelHeight = axes.get(0).number("step", 1);
    calibration.pixelWidth = axes.get(1).number("step", 1);
    calibration.setXUnit(unit(axes.get(1)));
    calibration.setYUnit(unit(axes.get(0)));
  }

  private static String unit(Fields axis) {
    String unit = axis.text("unit");
    if ("seconds".equals(unit)) return "sec";
    return "micrometer".equals(unit) ? "micron" : "pixel";
  }

  /** Returns the image with the colors and ranges of its channels. @param offset what ImageJ adds to samples */
  static ImagePlus withChannels(ImagePlus image, List<Fields> channels, int offset) {
    LUT[] tables = new LUT[channels.size()];
    boolean hasColors = true;
    for (int i = 0; i < tables.length; i++) {
      String color = channels.get(i).text("color");
      hasColors &= color != null;
      tables[i] = LUT.createLutFromColor(color == null ? Color.white : Color.decode(color));
      double[] range = range(image.getStack(), i + 1, tables.length, channels.get(i), offset);
      tables[i].min = range[0];
      tables[i].max = range[1];
    }
    if (tables.length == 1) {
      image.setLut(tables[0]);
      image.setDisplayRange(tables[0].min, tables[0].max);
      return image;
    }
    int few = hasColors ? CompositeImage.COMPOSITE : CompositeImage.GRAYSCALE;
    CompositeImage composite = new CompositeImage(image, tables.length > 7 ? CompositeImage.COLOR : few);
    composite.setLuts(tables);
    composite.setDisplayRange(tables[0].min, tables[0].max);
    return composite;
  }

  /** Returns the range of the file, or that of the first plane, or of the middle one when the first is blank. */
  private static double[] range(ImageStack stack, int n, int channels, Fields channel, int offset) {
    Fields window = channel.object("window");
    if (window.has("start") && window.has("end")) {
      return new double[] {window.number("start", 0) + offset, window.number("end", 1) + offset};
    }
    ImageProcessor plane = stack.getProcessor(n);
    plane.resetMinAndMax();
    if (plane.getMin() < plane.getMax()) return new double[] {plane.getMin(), plane.getMax()};
    plane = stack.getProcessor(stack.size() / channels / 2 * channels + n);
    plane.resetMinAndMax();
    return new double[] {plane.getMin(), Math.max(plane.getMax(), plane.getMin() + 1)};
  }
}
