function array = acqreadall(acq, channel)
%ACQREADALL  Read all planes of a channel: rows x columns x sections x time points, single.
%   array = ACQREADALL(acq) reads the first channel that was opened.
%   array = ACQREADALL(acq, channel) reads a channel by its name, or by its index counted from 0.
%   The planes are those of the scene that was opened.
%
%   See also ACQREAD.
  if nargin < 2, channel = []; end
  sizes = acq.header.sizes;
  sections = 1; times = 1;
  if isfield(sizes, 'Z'), sections = sizes.Z; end
  if isfield(sizes, 'T'), times = sizes.T; end
  shape = acq.plane.shape(:)';
  array = zeros([shape sections times], 'single');
  for t = 1:times
    for z = 1:sections
      place = {};
      if isfield(sizes, 'T'), place = [place {'T', t - 1}]; end
      if isfield(sizes, 'Z'), place = [place {'Z', z - 1}]; end
      array(:, :, z, t) = acqread(acq, channel, place{:});
    end
  end
end
