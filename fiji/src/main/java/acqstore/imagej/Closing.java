package acqstore.imagej;

import ij.ImageListener;
import ij.ImagePlus;
import ij.WindowManager;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/** Ends the session of a stack when its last image is closed, or when ImageJ ends. */
final class Closing implements ImageListener {
  private static Set<PlaneStack> open;

  private final PlaneStack stack;
  /** Images of the stack: ImageJ takes the stack from an image before it says that the image was closed. */
  private final Set<ImagePlus> images = Collections.newSetFromMap(new WeakHashMap<>());

  private Closing(ImagePlus image, PlaneStack stack) {
    this.stack = stack;
    images.add(image);
  }

  static void watch(ImagePlus image, PlaneStack stack) {
    remember(stack);
    ImagePlus.addImageListener(new Closing(image, stack));
  }

  private static synchronized void remember(PlaneStack stack) {
    if (open == null) {
      Set<PlaneStack> stacks = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stacks.forEach(PlaneStack::close)));
      open = stacks;
    }
    open.add(stack);
  }

  @Override
  public void imageClosed(ImagePlus closed) {
    if (!images.remove(closed)) return;
    int[] ids = WindowManager.getIDList();
    for (int id : ids == null ? new int[0] : ids) {
      ImagePlus other = WindowManager.getImage(id);
      // Make Composite, for example, shows the same planes in another window.
      if (other != null && other != closed && other.getStack() == stack) return;
    }
    ImagePlus.removeImageListener(this);
    // The request must not hold up the window.
    new Thread(stack::close, "Acquisition Store").start();
  }

  @Override
  public void imageOpened(ImagePlus image) {
    if (image.getStack() == stack) images.add(image);
  }

  @Override
  public void imageUpdated(ImagePlus image) {}
}
