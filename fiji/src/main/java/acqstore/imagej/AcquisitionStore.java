package acqstore.imagej;

import ij.ImagePlus;
import java.io.IOException;

/** Opens acquisitions from scripts. */
public final class AcquisitionStore {
  private AcquisitionStore() {}

  /**
   * Returns the image of an acquisition, whose planes are read when they are needed.
   *
   * @param path path of a file or folder, or an address of a session, of its OME-Zarr, or of the viewer
   * @throws AcquisitionException when it cannot be opened
   */
  public static ImagePlus open(String path) throws IOException {
    return image(Session.open(Address.parse(path)));
  }

  /**
   * Returns the image of a scene.
   *
   * @param scene counted from 0
   */
  public static ImagePlus open(String path, int scene) throws IOException {
    Session session = Session.open(Address.parse(path));
    try {
      return image(session.openScene(scene));
    } catch (IOException error) {
      session.close();
      throw error;
    }
  }

  private static ImagePlus image(Session session) throws IOException {
    try {
      return Images.open(session);
    } catch (IOException | RuntimeException error) {
      session.close();
      throw error;
    }
  }

  /** Returns the image on which a line scan was drawn, with the line as its selection; null without one. */
  public static ImagePlus openReference(String path) throws IOException {
    Session session = Session.open(Address.parse(path));
    try {
      return ReferenceImage.open(session);
    } finally {
      session.close();
    }
  }

  /** Ends the session of an image that has no window. A window does that when it is closed. */
  public static void close(ImagePlus image) {
    if (image.getStack() instanceof PlaneStack) ((PlaneStack) image.getStack()).close();
  }
}
