/**
 * Settings of Scanbox as MATLAB 7.3 stores them, written by h5py 3.16: cells and arrays of structs are references. Two planes,
 * two channels, 4 × 6 pixels. Compressed with gzip, base64.
 */
export const MATLAB_73 =
  'H4sIAAAAAAACA+1cPUwjRxQe/4HhMPIllztyScgm5BISccTm15ySwxDgON2Zs3IU6cCYNba0tsnuQiBFRBURKYqoIqrIVUQVUUV0R0lJeSUlJU' +
  'UKipPIrve9xbPeXTsGwhrPc/E8u+OZnW++efPm7YxjY7PPx8a54d5+LjY2+zCVEfgeLi4k5FRezD7iZF6Se7iFdS49uLzOTU9MDXJSMs1nE1y4' +
  'NxTiesmFxP00Rphcq/yi9Gmg9X5rMeH3Ey8JQt9o6gzk9CWdxt/Pg3aB3gS948brruK9Drh+G8o35pv9dnJSzX1mEKznyKfpIOuyhpTpybG4qr' +
  '+DNPLpwE3n6xL5lNRFSCaXypfyMlpjvVb8nfZo6bSvlL9eS/5299LjZRoeaAPS3HPQkN4dgXys628Uf+eBkDtoL18gzzwUz4LAs8iklo7XWO/L' +
  'mRcTLsWY+5FnHtpeG3mM9rW7mc4Xh/RyS2P2n1X/HLfQ/aPZAbelHZi+pWnsj3Q3bReYNIYd2IX0NujDjgp2oJPmmVW+ow/M7QXOW8Zx3EZCUF' +
  '5A4aSfxIrrgbmkkJAk9frbSiVNJXZAksWVpKymm7RrLnwejcgut4uyG1baozy5+v02NwpjIUoGbpGBM7BHPuWqet/t1gr0Q0s9rq02egTV1o7F' +
  '/MqCwF/EMzCzs826X7vpo9tbGNf0/gTgD9f3Wuh8hw80ffIZ3Y8b79rXnwa9ZSiv8B7UC7xYw3xj9uXhPLB1xz4f9kKk9RIHSfQVdEoQ9Mkone' +
  '4A7cf7r8zzoYZO3v81GiZh0qt8QqRPr0318J6Qb0iCxBS8h4hU9kAyWSSzJE+ySh6Z5MvudzyEXv0SeisE6IXNmodPSQytwKe9Y2jl+6A50B9H' +
  'd/uhVweANYOwShqCGoY1ffoIavgKSvwaZvfH0GujZs91qj/fJngf21PgtTwpzf8P5HsD2h0NPgM2wrp+bYZZfCZMmDBhUt0667r8ym1H+pXXh0' +
  'ehLvFwG9rvvjQ8dtpoz7jR+bHnSH6giLyUEvnvFZ3Mi4tSnBfHV1IpXsT7UjKRy+YXeT394/n1hfza3CovSpl8jiTTiVyOF/QlwWpeULOQZD6X' +
  'yiyR4n31Oi8Lc3ICmqJIMiFkFsSErJZRineHY/pvn9k7Co8DR+JR6b3Y9oewomOuA4snlsSLuAd03M8YV6o17meMJxrjS/UXTzx0cDzRp3sbR1' +
  'x1cbjNTvt8OP+cfGSfL4JxwE/s8+l2p4utJ2hevWbzK4XHEcODwuO4LvHwGNZV5elg8adB/VqwAg4nbdjy/4qDtwQHxQ8H3/5qdkwImRyvVpwS' +
  'E1n1SzaxlMukMkn08H9IrPICn1uS4UUMdX9OyEgyzZv5K7J3lfzF/S/MVrFMGs1fxH1U6FYEDQuIHCxsJYXXxbRGe52/kZr8Ga9upfbvVedXFN' +
  '6pzk/ZvWufD8fb1n0WH61tvnrjYD/Zo/u1hb7q/OTdz+3zoX3097C4uypeA4+8Zbw6n/ddJUhb88kboEuqnk++knpXMjk5cgXzvrqXww6PZkP7' +
  'm23wqM4P8gMe7ZfiB7XB+HKRt5Tv+u8UtOYW+eR54DPoxx7gTOPmRvuN4wd3PFgJxiFwB4KV4DyEOxQq2W/cwVC/48zIK63/XS76/YWZP4322p' +
  '5HdwNmHl7tPIrovyvhEZ9dltft+OMqizjUNs78hvL8Fx5nn14yPpc7zq6eH0N1xo+LzksaDvcAH2tcpgK0R1wjLrwg0Bbwpvh/qQCL35TikWN4' +
  'UHisMjwoPH5ieFB4/OxIPOpN8L0QxkdwJ7CVhDDeMlBdHAV3ElsJoo47jS3jTKBxJzKLo+A4+I3ZBQqP3xkeFB5/MDwoPP5keFB4/OVIPDA+hO' +
  'eQ8ISJleD5J/oESrngeSU8iWIlG6DxpMpNjcP6DOt/X1k8oNr17t8Bs3Wq09a7ld5nHjw1i2YwaRSx+l+IowlzO7JusMO1Wj99/5vhXGf97X9r' +
  'amfzayke7QwP+n2CQ/HwVbVP6bz9tcaFO9vN49SbDowLnP/Px16F16E4Xx7HCRNHjLMhR44z4/8a0CfAy2UL+fXMPh/+70U6Vh1P8WS9lRRwnq' +
  '9w4hxHMZ7QtxIO2xOud149ZvMZhceUI/FAEYFvIuxjEiG+K0L8VoT4rAjxVxHiqyIEcMURLCcEOgy6D3Q/6AHQg6CHQA+DjoAegecJUfjv1Z1d' +
  '/7/8hZm68Bf+BUSa26/4UwAA';
