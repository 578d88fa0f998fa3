function plane = acqplane(bytes, shape)
% Returns little-endian float32 samples, row by row, as a matrix.
  if numel(bytes) ~= 4 * prod(shape)
    error('acqstore:wrong_length', 'The server sent %d bytes; expected %d.', numel(bytes), 4 * prod(shape));
  end
  plane = reshape(typecast(bytes(:)', 'single'), fliplr(shape)).';
end
