;; The filter of a polyphase resampler, four products at once. `filter-module.ts` holds it compiled: after a change here,
;; `npm run build:wasm` writes that file anew, and a test compares the two.
(module
  (memory (export "memory") 1)

  ;; Writes `count` samples to `output`. Each is the sum of `rowBytes / 4` samples, from `window` on, times one row of
  ;; coefficients. `rowBytes` is a multiple of 32. From one output sample to the next the window moves by `wholeBytes` and
  ;; the row by `part` of `up`; a row past the last one is a row of the next sample's window.
  (func (export "filter")
    (param $window i32) (param $rows i32) (param $output i32) (param $rowBytes i32)
    (param $phase i32) (param $up i32) (param $wholeBytes i32) (param $part i32) (param $count i32)
    (local $sample i32) (local $row i32) (local $rowEnd i32) (local $even v128) (local $odd v128)
    (loop $outputs
      (if (i32.eqz (local.get $count)) (then (return)))
      (local.set $sample (local.get $window))
      (local.set $row (i32.add (local.get $rows) (i32.mul (local.get $phase) (local.get $rowBytes))))
      (local.set $rowEnd (i32.add (local.get $row) (local.get $rowBytes)))
      (local.set $even (v128.const f32x4 0 0 0 0))
      (local.set $odd (v128.const f32x4 0 0 0 0))
      (loop $taps
        (local.set $even
          (f32x4.add (local.get $even) (f32x4.mul (v128.load (local.get $sample)) (v128.load (local.get $row)))))
        (local.set $odd
          (f32x4.add
            (local.get $odd)
            (f32x4.mul (v128.load offset=16 (local.get $sample)) (v128.load offset=16 (local.get $row)))))
        (local.set $sample (i32.add (local.get $sample) (i32.const 32)))
        (local.set $row (i32.add (local.get $row) (i32.const 32)))
        (br_if $taps (i32.lt_u (local.get $row) (local.get $rowEnd))))
      (local.set $even (f32x4.add (local.get $even) (local.get $odd)))
      (f32.store (local.get $output)
        (f32.add
          (f32.add (f32x4.extract_lane 0 (local.get $even)) (f32x4.extract_lane 1 (local.get $even)))
          (f32.add (f32x4.extract_lane 2 (local.get $even)) (f32x4.extract_lane 3 (local.get $even)))))
      (local.set $output (i32.add (local.get $output) (i32.const 4)))
      (local.set $window (i32.add (local.get $window) (local.get $wholeBytes)))
      (local.set $phase (i32.add (local.get $phase) (local.get $part)))
      (if (i32.ge_u (local.get $phase) (local.get $up))
        (then
          (local.set $phase (i32.sub (local.get $phase) (local.get $up)))
          (local.set $window (i32.add (local.get $window) (i32.const 4)))))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $outputs))))
