function plane = acqplane(bytes, shape, dtype)
% Returns little-endian samples, row by row, as a matrix. dtype is that of the answer, such as '<u2'; float32 without one.
  types = struct('f4', 'single', 'f8', 'double', 'u1', 'uint8', 'i1', 'int8', 'u2', 'uint16', 'i2', 'int16', ...
    'u4', 'uint32', 'i4', 'int32', 'u8', 'uint64', 'i8', 'int64');
  if nargin < 3, dtype = '<f4'; end
  type = types.(dtype(2:end));
  samples = typecast(bytes(:)', type);
  if numel(samples) ~= prod(shape)
    error('acqstore:wrong_length', 'The server sent %d samples; expected %d.', numel(samples), prod(shape));
  end
  plane = reshape(samples, fliplr(shape)).';
end
