function options = acqoptions(options, pairs)
% Overwrites defaults by name-value pairs; names are compared without case.
  if mod(numel(pairs), 2), error('acqstore:usage', 'Options are pairs of a name and a value.'); end
  for k = 1:2:numel(pairs)
    name = lower(char(pairs{k}));
    if ~isfield(options, name)
      error('acqstore:usage', '"%s" is not an option. Options: %s.', char(pairs{k}), strjoin(fieldnames(options)', ', '));
    end
    options.(name) = pairs{k+1};
  end
end
