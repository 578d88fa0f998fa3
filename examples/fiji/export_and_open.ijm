// Opens a microscope file in any ImageJ: acqstore exports it as a hyperstack into a temporary folder, and ImageJ opens that.
program = "acqstore";
path = getArgument();
if (path == "") path = File.openDialog("Open an acquisition");
folder = getDirectory("temp") + "acqstore-" + getTime() + File.separator;
File.makeDirectory(folder);
said = exec(program, "export", path, "--to", "imagej", "--out", folder, "--quiet");
exported = getFileList(folder);
if (exported.length == 0) exit("acqstore cannot export " + path + "\n" + said);
open(folder + exported[0]);
