;; Loops over all samples of a block, eight at once. `sample-loops-module.ts` holds them compiled: after a change here,
;; `npm run build:wasm` writes that file anew, and a test compares the two. Every loop reads and writes whole groups of
;; eight; what lies behind the last sample belongs to nobody.
(module
  (memory (export "memory") 2)

  ;; 16-bit samples from `from` as floats, -1 to 1, to `to`.
  (func (export "toFloat") (param $from i32) (param $to i32) (param $count i32)
    (local $values v128)
    (loop $groups
      (if (i32.le_s (local.get $count) (i32.const 0)) (then (return)))
      (local.set $values (v128.load (local.get $from)))
      (v128.store (local.get $to)
        (f32x4.mul
          (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $values)))
          (f32x4.splat (f32.const 0x1p-15))))
      (v128.store offset=16 (local.get $to)
        (f32x4.mul
          (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $values)))
          (f32x4.splat (f32.const 0x1p-15))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 32)))
      (local.set $count (i32.sub (local.get $count) (i32.const 8)))
      (br $groups)))

  ;; Four floats as 32-bit integers of the 16-bit scale: halves go up, NaN is 0. The fraction is compared, since adding a
  ;; half to a float may round before it is cut.
  (func $rounded (param $values v128) (result v128)
    (local $scaled v128)
    (local $floor v128)
    (local.set $scaled (f32x4.mul (local.get $values) (f32x4.splat (f32.const 0x1p15))))
    (local.set $floor (f32x4.floor (local.get $scaled)))
    (i32x4.trunc_sat_f32x4_s
      (f32x4.add
        (local.get $floor)
        (v128.and
          (f32x4.ge (f32x4.sub (local.get $scaled) (local.get $floor)) (f32x4.splat (f32.const 0.5)))
          (f32x4.splat (f32.const 1))))))

  ;; Floats from `from` as 16-bit samples, held within the range, to `to`.
  (func (export "fromFloat") (param $from i32) (param $to i32) (param $count i32)
    (loop $groups
      (if (i32.le_s (local.get $count) (i32.const 0)) (then (return)))
      (v128.store (local.get $to)
        (i16x8.narrow_i32x4_s
          (call $rounded (v128.load (local.get $from)))
          (call $rounded (v128.load offset=16 (local.get $from)))))
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (local.set $count (i32.sub (local.get $count) (i32.const 8)))
      (br $groups)))

  ;; The largest of the floats from `from` without their signs; NaN is none of them. `count` is a multiple of eight.
  (func (export "peak") (param $from i32) (param $count i32) (result f32)
    (local $even v128)
    (local $odd v128)
    (block $done
      (loop $groups
        (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
        (local.set $even (f32x4.pmax (local.get $even) (f32x4.abs (v128.load (local.get $from)))))
        (local.set $odd (f32x4.pmax (local.get $odd) (f32x4.abs (v128.load offset=16 (local.get $from)))))
        (local.set $from (i32.add (local.get $from) (i32.const 32)))
        (local.set $count (i32.sub (local.get $count) (i32.const 8)))
        (br $groups)))
    (local.set $even (f32x4.pmax (local.get $even) (local.get $odd)))
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $even)) (f32x4.extract_lane 1 (local.get $even)))
      (f32.max (f32x4.extract_lane 2 (local.get $even)) (f32x4.extract_lane 3 (local.get $even))))))
