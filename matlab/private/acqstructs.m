function list = acqstructs(decoded)
% Objects with different fields are decoded as a cell array: a color is missing where the file has none.
  if ~iscell(decoded) || isempty(decoded), list = decoded; return, end
  names = {};
  for k = 1:numel(decoded), names = union(names, fieldnames(decoded{k})); end
  for k = 1:numel(decoded)
    for n = 1:numel(names)
      if isfield(decoded{k}, names{n}), list(k).(names{n}) = decoded{k}.(names{n}); else, list(k).(names{n}) = []; end
    end
  end
end
