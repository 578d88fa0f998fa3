export { Icon } from '../icons/icon.tsx';
