import { gunzipSync } from 'node:zlib';

/**
 * A small line scan that the reader of another project accepts as well: 4 pixels × 6 lines, 2 channels in interleaved
 * bands of 4 and 2 lines, a 4 × 4 reference, the scanner that was not used first, channels described in reverse.
 * 4251 bytes, CRC-32 fdcf2758.
 */
export function oirVector(): Uint8Array {
  return new Uint8Array(gunzipSync(Buffer.from(PACKED.join(''), 'base64')));
}

const PACKED = [
  'H4sIAAAAAAACA+1XSY/jRBSm2x4qjDj0jCVAs0iWBfjUsZ2kh8YkHrV60hCpo46SNCMkpMZxqpMSjm1sp0n3jRvbieXEdmKZM2d+A8vcGLgxrBLD',
  'KnaGsl12XM4y3RzmgCip/FLfe/Ve1XuvXlW2Nh+pN7ZbzbWLG1vN+lr79luitoD7Iu6vLEXjOwldSvGDdp20jc3trYdr1YsMmRfjj2fk57V13Mvn',
  'RwOT34Ouh2yrIih5WTivlXeRCZG1a6vBjxr+MdB9zOexrOWpMbci7CJB0h7Aahiiksddwr1Z3djZbNXlHYW05fBTCj6r8TBuO3IwjcX9ae4Z7lnu',
  'Oe4F7kXuJe5l7lXuNe517g3uLe5t7h3uEjfXVIG05fBTCj6r8TBuY1NL4gnxpMiJp8TT4hnxrHi3eI94ryiKeVESZVERrywczolBe3dhliNNb7Dr',
  '6gOoht+GazvQ9RH0eNStCL4s473vKALxayyM/RpDhj0Y2BZBjQTu6B4edwStnBJQe9CCrm5q5YCtWhjSYhNlaYyVpamT0iAa6D14Ae4iCwVxJxqf',
  'RF2/r5WIrmgUcfoQ9fp+wiLDiNeFDpYrEFY0ijgd5K/bQ8v3NCVmj6FIxLBN223vO1B70NT3W4ZuQiI55tD7mVi6NCsGUxM3dtgRE/dL5ivma+Yb',
  '5gfmR+Yn5mfmT+Yv5m/mOnMrC9gcexs719TREvcD8CH4CFwGH4Mr4BPwKfgMXAWfgy/At+Aa+A58D2JTPKkeR9+VshSfEfYEe5Ll2FPsafYMe5ad',
  'q/pQu0hU/wp+A7+DP8BijsmxuWO5wDHHcL92/KbXr8VDmHr0+JwTHqZclHipE56c6ZBREUz6TBPUQDTs9MOjbTgZWMe5WxEcJ1sBxmaIiOkkVSFa',
  'F10VDBeGrrig+7CNcDUoyIWVZfm+5cJqW1lRi+dUpZS/P4BKqizHZy07KT5yGQtpMPwGrqfhpIZMgpQcKSHnaMG4sKSx0GOZLbv20ImhkK8afd2y',
  'oBnW3cNkqsDbbhe6WFigFYUldP2hQrywFErJmdDqjTcVBkcdaXK+sJLMJBglsj9FZJ8WOdAUmn+g0YvJmA4xB42guY1rIg2PtHptvbm1U6+2q01a',
  'yyijNaVBmuLZ2e4+TM1J3K1Md7fyv7uz7pamZLw05WBIM05lUrh044kh8shtSZUzZPUawZZph+gj5PHQ0jsmrkC+O4TCJF9r1+rVzbVGq0r7LuRR',
  '0p6vu37DJvZlWpxmUvOg1U0YmQCmWRlb0MlGM8QoqYE+aqEDOK49NDxtQ9Jct0UcA79QUG/o6hlHe0YQUPLI0c093bJT+tJcOpQ30NeCvo8X4vE+',
  'nloRmtCzLd3yhZSkEy0yvjui5Ij2mN5ipmSnQUpu/AicgoZbmjCTYJ4DYTcTrAAKUtUd6JOhNJEFW+GkYjFfpE2OebRC6OJ7uWb50N3Dt9XkvIxA',
  'hjmxHCm7einrWWlWUG4YLpII/71oKXmlVPg34Zoy8WbGy7DxBYUs/ADCLzulIsj5FYHfV4ILix8VKkIRjzApYFhKK6KKqzTrsagFf90fI2/Ny4Te',
  'Qd7AGqFPEXqJ0OfJH4r3Cf2FUJWNaIfQNwl9j9DwnY3bXYTyhP4DWCfP/ZsQAAA=',
];
