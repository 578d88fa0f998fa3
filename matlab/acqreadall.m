function array = acqreadall(acq, channel, varargin)
%ACQREADALL  Read all planes of a channel: rows x columns x sections x time points, single.
%   array = ACQREADALL(acq) reads the first channel that was opened.
%   array = ACQREADALL(acq, channel) reads a channel by its name, or by its index counted from 0.
%   array = ACQREADALL(acq, channel, 'type', 'native') reads them in the type of the file, such as uint16.
%   The planes are those of the scene that was opened.
%
%   See also ACQREAD.
  if nargin < 2, channel = []; end
  opt = acqoptions(struct('type', 'single'), varargin);
  sizes = acq.header.sizes;
  sections = 1; times = 1;
  if isfield(sizes, 'Z'), sections = sizes.Z; end
  if isfield(sizes, 'T'), times = sizes.T; end
  shape = acq.plane.shape(:)';
  array = [];
  for t = 1:times
    for z = 1:sections
      place = {};
      if isfield(sizes, 'T'), place = [place {'T', t - 1}]; end
      if isfield(sizes, 'Z'), place = [place {'Z', z - 1}]; end
      plane = acqread(acq, channel, place{:}, 'type', opt.type);
      if isempty(array), array = zeros([shape sections times], class(plane)); end
      array(:, :, z, t) = plane;
    end
  end
end
