fn broken(x: f32[N]) -> f32[N] { x + }
