function query = acqtype(type)
% Returns the part of an address that asks for a type of samples.
  switch char(type)
    case 'single', query = {};
    case 'native', query = {'type=native'};
    otherwise, error('acqstore:usage', '"%s" is not a type; expected ''single'' or ''native''.', char(type));
  end
end
