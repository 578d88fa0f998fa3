function plane = acqreference(acq, channel)
%ACQREFERENCE  Read the reference image of a line scan: rows x columns, single.
%   plane = ACQREFERENCE(acq) reads its first channel, ACQREFERENCE(acq, channel) one by name or index from 0.
%   acq.reference.lineRoi and acq.reference.scanPath say where the line was scanned, in pixels of this image
%   counted from 0: plot(path.x + 1, path.y + 1) draws it on imagesc(plane).
%
%   See also ACQOPEN, ACQREAD.
  if isempty(acq.reference)
    error('acqstore:reference_channel_not_found', '%s has no reference image.', acq.source.name);
  end
  if nargin < 2 || isempty(channel), channel = acq.reference.channels(1).index; end
  entry = acqchannel(acq.reference.channels, channel);
  plane = acqplane(acqrequest(acq, 'GET', entry.dataUrl), acq.reference.plane.shape(:)');
end
