/// <reference path="./lucide-icons.d.ts" />
/** The icons of the page, from Lucide (ISC license). Each is imported by itself, so that the bundle has no others. */

import Activity from 'lucide/dist/esm/icons/activity.mjs';
import ArrowRightLeft from 'lucide/dist/esm/icons/arrow-right-left.mjs';
import Axis3d from 'lucide/dist/esm/icons/axis-3d.mjs';
import Blend from 'lucide/dist/esm/icons/blend.mjs';
import ChartSpline from 'lucide/dist/esm/icons/chart-spline.mjs';
import Check from 'lucide/dist/esm/icons/check.mjs';
import ChevronDown from 'lucide/dist/esm/icons/chevron-down.mjs';
import ChevronRight from 'lucide/dist/esm/icons/chevron-right.mjs';
import ChevronUp from 'lucide/dist/esm/icons/chevron-up.mjs';
import CircleQuestionMark from 'lucide/dist/esm/icons/circle-question-mark.mjs';
import Columns2 from 'lucide/dist/esm/icons/columns-2.mjs';
import Columns3 from 'lucide/dist/esm/icons/columns-3.mjs';
import Copy from 'lucide/dist/esm/icons/copy.mjs';
import Crosshair from 'lucide/dist/esm/icons/crosshair.mjs';
import Download from 'lucide/dist/esm/icons/download.mjs';
import Ellipse from 'lucide/dist/esm/icons/ellipse.mjs';
import Ellipsis from 'lucide/dist/esm/icons/ellipsis.mjs';
import FileImage from 'lucide/dist/esm/icons/file-image.mjs';
import FolderOpen from 'lucide/dist/esm/icons/folder-open.mjs';
import Gauge from 'lucide/dist/esm/icons/gauge.mjs';
import Hand from 'lucide/dist/esm/icons/hand.mjs';
import Lasso from 'lucide/dist/esm/icons/lasso.mjs';
import Link2 from 'lucide/dist/esm/icons/link-2.mjs';
import Maximize from 'lucide/dist/esm/icons/maximize.mjs';
import Maximize2 from 'lucide/dist/esm/icons/maximize-2.mjs';
import Minus from 'lucide/dist/esm/icons/minus.mjs';
import Monitor from 'lucide/dist/esm/icons/monitor.mjs';
import Moon from 'lucide/dist/esm/icons/moon.mjs';
import PanelRight from 'lucide/dist/esm/icons/panel-right.mjs';
import Pencil from 'lucide/dist/esm/icons/pencil.mjs';
import Pentagon from 'lucide/dist/esm/icons/pentagon.mjs';
import Plus from 'lucide/dist/esm/icons/plus.mjs';
import Proportions from 'lucide/dist/esm/icons/proportions.mjs';
import Redo2 from 'lucide/dist/esm/icons/redo-2.mjs';
import Ruler from 'lucide/dist/esm/icons/ruler.mjs';
import RulerDimensionLine from 'lucide/dist/esm/icons/ruler-dimension-line.mjs';
import Search from 'lucide/dist/esm/icons/search.mjs';
import Server from 'lucide/dist/esm/icons/server.mjs';
import Settings from 'lucide/dist/esm/icons/settings.mjs';
import Slash from 'lucide/dist/esm/icons/slash.mjs';
import SlidersHorizontal from 'lucide/dist/esm/icons/sliders-horizontal.mjs';
import Spline from 'lucide/dist/esm/icons/spline.mjs';
import SquareDashed from 'lucide/dist/esm/icons/square-dashed.mjs';
import Sun from 'lucide/dist/esm/icons/sun.mjs';
import Table2 from 'lucide/dist/esm/icons/table-2.mjs';
import TriangleAlert from 'lucide/dist/esm/icons/triangle-alert.mjs';
import TrianglesCenterlineDashedVertical from 'lucide/dist/esm/icons/triangles-centerline-dashed-vertical.mjs';
import Undo2 from 'lucide/dist/esm/icons/undo-2.mjs';
import User from 'lucide/dist/esm/icons/user.mjs';
import X from 'lucide/dist/esm/icons/x.mjs';

export const ICONS = {
  axes: Ruler,
  beside: Columns2,
  channels: Columns3,
  check: Check,
  close: X,
  composite: Blend,
  copy: Copy,
  dark: Moon,
  down: ChevronDown,
  ellipse: Ellipse,
  file: FileImage,
  enlarge: Maximize2,
  flip: TrianglesCenterlineDashedVertical,
  folder: FolderOpen,
  freehand: Lasso,
  freeline: Pencil,
  gear: Settings,
  hand: Hand,
  help: CircleQuestionMark,
  light: Sun,
  line: Slash,
  link: Link2,
  minus: Minus,
  more: Ellipsis,
  next: ChevronDown,
  orthogonal: Axis3d,
  plus: Plus,
  point: Crosshair,
  polygon: Pentagon,
  polyline: Spline,
  previous: ChevronUp,
  profile: ChartSpline,
  redo: Redo2,
  region: SquareDashed,
  right: ChevronRight,
  save: Download,
  'scale-bar': RulerDimensionLine,
  server: Server,
  shape: Proportions,
  side: PanelRight,
  swap: ArrowRightLeft,
  system: Monitor,
  trace: Activity,
  undo: Undo2,
  user: User,
  view: SlidersHorizontal,
  warning: TriangleAlert,
  whole: Maximize,
  zoom: Search,
  table: Table2,
  velocity: Gauge,
} as const;

export type IconName = keyof typeof ICONS;
