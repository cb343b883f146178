# Segmentation of images: Ronneberger, Fischer, Brox, "U-Net: Convolutional Networks for Biomedical
# Image Segmentation", MICCAI 2015, with padding, so that the result has the size of the image.

layer DoubleConv(inputs: int, outputs: int) {
  double_conv = [Conv2d(inputs, outputs, 3, pad = 1, with_bias = false), BatchNorm(outputs), [],
      Conv2d(outputs, outputs, 3, pad = 1, with_bias = false), BatchNorm(outputs)]
  fn forward(x: f32[N, inputs, H, W]) -> f32[N, outputs, H, W] {
    x |> double_conv[0] |> double_conv[1] |> relu |> double_conv[3] |> double_conv[4] |> relu
  }
}

## Half the size, then twice the channels.
layer Down(inputs: int, outputs: int) {
  maxpool_conv = [[], DoubleConv(inputs, outputs)]
  fn forward(x: f32[N, inputs, H, W]) -> f32[N, outputs, H//2, W//2] {
    x |> max_pool(2) |> maxpool_conv[1]
  }
}

## Twice the size, beside what was there before it was halved.
layer Up(inputs: int, outputs: int) {
  up = ConvTranspose2d(inputs, outputs, 2, stride = 2)
  conv = DoubleConv(2*outputs, outputs)
  fn forward(x: f32[N, inputs, H, W], before: f32[N, outputs, 2*H, 2*W])
      -> f32[N, outputs, 2*H, 2*W] {
    concat([before, up(x)], axis = 1) |> conv
  }
}

layer UNet(channels: int = 3, classes: int = 2, width: int = 64) {
  inc = DoubleConv(channels, width)
  down1 = Down(width, 2*width)
  down2 = Down(2*width, 4*width)
  down3 = Down(4*width, 8*width)
  down4 = Down(8*width, 16*width)
  up1 = Up(16*width, 8*width)
  up2 = Up(8*width, 4*width)
  up3 = Up(4*width, 2*width)
  up4 = Up(2*width, width)
  outc = Conv2d(width, classes, 1)
  fn forward(x: f32[N, channels, H, W]) -> f32[N, classes, H, W] where H % 16 == 0, W % 16 == 0 {
    a = inc(x)
    b = down1(a)
    c = down2(b)
    d = down3(c)
    down4(d) |> up1(d) |> up2(c) |> up3(b) |> up4(a) |> outc
  }
}
