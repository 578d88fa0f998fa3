import acqstore.imagej.AcquisitionStore;
import acqstore.imagej.OpenCommand;
import ij.CompositeImage;
import ij.ImagePlus;
import ij.gui.Roi;
import ij.measure.Calibration;
import ij.process.FloatPolygon;
import ij.process.ImageProcessor;
import ij.process.LUT;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.util.Arrays;

/** Prints what the plug-in makes of acquisitions. */
public class Probe {
  private static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in));

  public static void main(String[] args) throws Exception {
    if (args[0].equals("describe")) {
      for (String arg : Arrays.asList(args).subList(1, args.length)) {
        String[] parts = arg.split("\\|");
        boolean hasScene = parts.length > 2;
        describe(hasScene ? AcquisitionStore.open(parts[0], Integer.parseInt(parts[2])) : AcquisitionStore.open(parts[0]), parts[1]);
        System.out.println("--");
      }
    } else if (args[0].equals("reference")) {
      describeReference(AcquisitionStore.openReference(args[1]));
    } else if (args[0].equals("command")) {
      new OpenCommand().run(args[1]);
    } else if (args[0].equals("steps")) {
      steps(AcquisitionStore.open(args[1]));
    } else if (args[0].equals("window")) {
      window(AcquisitionStore.open(args[1]));
    }
  }

  private static void describe(ImagePlus image, String order) throws Exception {
    Calibration c = image.getCalibration();
    boolean many = image instanceof CompositeImage;
    System.out.println(image.getTitle());
    System.out.println(image.getBitDepth() + " bits " + Arrays.toString(image.getDimensions())
        + (many ? " " + ((CompositeImage) image).getModeAsString() : "") + (image.getStack().isVirtual() ? " virtual" : ""));
    System.out.println(c.pixelWidth + " " + c.getXUnit() + " " + c.pixelHeight + " " + c.getYUnit() + " " + c.pixelDepth + " "
        + c.getZUnit() + " every " + c.frameInterval + " " + c.getTimeUnit());
    for (LUT lut : image.getLuts()) {
      System.out.println("lut " + lut.getRed(255) + "," + lut.getGreen(255) + "," + lut.getBlue(255) + " " + lut.min + "-" + lut.max);
    }
    System.out.println("labels " + image.getStack().getSliceLabel(1) + " | " + image.getStack().getSliceLabel(image.getStackSize()));
    System.out.println("sha " + hash(image, order));
    AcquisitionStore.close(image);
  }

  private static void describeReference(ImagePlus image) {
    if (image == null) {
      System.out.println("none");
      return;
    }
    Calibration c = image.getCalibration();
    System.out.println(image.getTitle() + " " + image.getBitDepth() + " bits " + Arrays.toString(image.getDimensions()) + " "
        + c.pixelWidth + " " + c.getXUnit());
    Roi roi = image.getRoi();
    FloatPolygon points = roi.getFloatPolygon();
    System.out.println(roi.getTypeAsString() + " " + Arrays.toString(Arrays.copyOf(points.xpoints, points.npoints)) + " "
        + Arrays.toString(Arrays.copyOf(points.ypoints, points.npoints)));
    double sum = 0;
    for (int i = 0; i < image.getProcessor().getPixelCount(); i++) sum += image.getStack().getProcessor(1).getf(i);
    System.out.println("sum " + sum);
  }

  /** Reads planes as lines of the input ask for them. */
  private static void steps(ImagePlus image) throws Exception {
    System.out.println("ready");
    for (String line = IN.readLine(); line != null; line = IN.readLine()) {
      try {
        ImageProcessor plane = image.getStack().getProcessor(Integer.parseInt(line));
        double first = plane.getf(0);
        plane.multiply(0);
        System.out.println("plane " + line + " " + first);
      } catch (IllegalStateException error) {
        System.out.println("error " + error.getMessage());
      }
    }
    AcquisitionStore.close(image);
  }

  /** Shows planes in a window as lines of the input ask for them, and prints how the plane looks. */
  private static void window(ImagePlus image) throws Exception {
    new ij.ImageJ(ij.ImageJ.NO_SHOW);
    image.show();
    System.out.println("ready");
    for (String line = IN.readLine(); line != null; line = IN.readLine()) {
      if (line.equals("close")) {
        image.close();
        System.out.println("closed");
        continue;
      }
      image.setSlice(Integer.parseInt(line));
      ImageProcessor plane = image.getProcessor();
      int[] counts = plane.getHistogram();
      int full = counts[counts.length - 1];
      System.out.println("slice " + image.getCurrentSlice() + " " + plane.get(0, 0) + " " + (full > plane.getPixelCount() / 4)
          + " " + String.valueOf(ij.IJ.getLog()).trim());
    }
    System.exit(0);
  }

  /** Returns the SHA-256 of all values, little-endian, in the type of the file. */
  private static String hash(ImagePlus image, String order) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    int[] sizes = {image.getNChannels(), image.getNSlices(), image.getNFrames()};
    int[] axes = {"CZT".indexOf(order.charAt(0)), "CZT".indexOf(order.charAt(1)), "CZT".indexOf(order.charAt(2))};
    int[] at = new int[3];
    for (at[axes[0]] = 0; at[axes[0]] < sizes[axes[0]]; at[axes[0]]++) {
      for (at[axes[1]] = 0; at[axes[1]] < sizes[axes[1]]; at[axes[1]]++) {
        for (at[axes[2]] = 0; at[axes[2]] < sizes[axes[2]]; at[axes[2]]++) {
          digest.update(bytes(image, image.getStackIndex(at[0] + 1, at[1] + 1, at[2] + 1)));
        }
      }
    }
    StringBuilder hex = new StringBuilder();
    for (byte b : digest.digest()) hex.append(String.format("%02x", b));
    return hex.toString();
  }

  private static byte[] bytes(ImagePlus image, int index) {
    Object pixels = image.getStack().getPixels(index);
    Calibration c = image.getCalibration();
    if (pixels instanceof byte[]) return (byte[]) pixels;
    ByteBuffer out;
    if (pixels instanceof short[]) {
      out = ByteBuffer.allocate(2 * ((short[]) pixels).length).order(ByteOrder.LITTLE_ENDIAN);
      for (short value : (short[]) pixels) out.putShort((short) c.getCValue(value & 0xffff));
    } else {
      out = ByteBuffer.allocate(4 * ((float[]) pixels).length).order(ByteOrder.LITTLE_ENDIAN);
      for (float value : (float[]) pixels) out.putFloat(value);
    }
    return out.array();
  }
}
