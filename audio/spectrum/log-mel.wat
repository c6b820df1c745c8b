;; Log-mel energies of speech at 16 kHz, four frames at once: each vector holds one value of four frames that follow each
;; other, 160 samples apart. `log-mel-module.ts` holds it compiled: after a change here, `npm run build:wasm` writes that
;; file anew, and a test compares the two.
;;
;; The transform is that of `real-spectrum.ts`: 512 real values as 256 complex ones, in passes of radix 4, told apart
;; afterwards by symmetry. Memory, in bytes; what is marked with * is written once by whoever opens the module:
;;
;;       0  *  order of the first pass: 256 addresses within the frame
;;    1024  *  turns of the passes: cosine and minus sine of one, two and three angles, for each step of each pass
;;    3072  *  turns that tell the real values apart
;;    4128  *  window, 512 floats
;;    6176  *  for each of up to 80 filters: the address of its first power, and how many it weighs
;;    7168  *  weights of all filters, one after the other
;;   12288     frame, 512 vectors; what lies behind the window stays 0
;;   20480     values of the transform: real part and imaginary part in turn, 512 vectors
;;   28672     power, 257 vectors
;;   65536     samples, as floats of 16-bit scale
;;  131072     rows, as they are given
(module
  (memory (export "memory") 3)

  ;; Writes `groups` times four rows of `bands` values: the logarithm of each filter's energy and `added`, `floor` at the
  ;; least, times `scale` and moved by `shift`. A frame has `length` samples; `meanScale` is 1 / `length` where its mean is
  ;; taken away, else 0; `emphasis` of the sample before is taken away from each.
  (func (export "run")
    (param $groups i32) (param $length i32) (param $bands i32) (param $meanScale f32) (param $emphasis f32)
    (param $added f32) (param $floor f32) (param $scale f32) (param $shift f32)
    (local $samples i32) (local $row i32) (local $rowBytes i32)
    (local $at i32) (local $end i32) (local $to i32) (local $turn i32) (local $width i32) (local $start i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32) (local $filter i32) (local $lastFilter i32)
    (local $sum v128) (local $value v128) (local $before v128)
    (local $re v128) (local $im v128) (local $cos v128) (local $sin v128)
    (local $aRe v128) (local $aIm v128) (local $bRe v128) (local $bIm v128)
    (local $cRe v128) (local $cIm v128) (local $dRe v128) (local $dIm v128)
    (local $sumAcRe v128) (local $sumAcIm v128) (local $lessAcRe v128) (local $lessAcIm v128)
    (local $sumBdRe v128) (local $sumBdIm v128) (local $lessBdRe v128) (local $lessBdIm v128)
    (local $exponent v128) (local $isSmall v128) (local $square v128)
    (local.set $samples (i32.const 65536))
    (local.set $row (i32.const 131072))
    (local.set $rowBytes (i32.shl (local.get $bands) (i32.const 2)))
    (loop $fours
      (if (i32.eqz (local.get $groups)) (then (return)))

      ;; The four frames side by side.
      (local.set $at (local.get $samples))
      (local.set $end (i32.add (local.get $samples) (i32.shl (local.get $length) (i32.const 2))))
      (local.set $to (i32.const 12288))
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (loop $cut
        (local.set $value (v128.load32_zero (local.get $at)))
        (local.set $value (v128.load32_lane offset=640 1 (local.get $at) (local.get $value)))
        (local.set $value (v128.load32_lane offset=1280 2 (local.get $at) (local.get $value)))
        (local.set $value (v128.load32_lane offset=1920 3 (local.get $at) (local.get $value)))
        (v128.store (local.get $to) (local.get $value))
        (local.set $sum (f32x4.add (local.get $sum) (local.get $value)))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (br_if $cut (i32.lt_u (local.get $at) (local.get $end))))

      ;; Mean, emphasis and window.
      (local.set $sum (f32x4.mul (local.get $sum) (f32x4.splat (local.get $meanScale))))
      (local.set $before (f32x4.sub (v128.load (i32.const 12288)) (local.get $sum)))
      (local.set $end (local.get $to))
      (local.set $to (i32.const 12288))
      (local.set $at (i32.const 4128))
      (loop $shape
        (local.set $value (f32x4.sub (v128.load (local.get $to)) (local.get $sum)))
        (v128.store (local.get $to)
          (f32x4.mul
            (f32x4.sub (local.get $value) (f32x4.mul (f32x4.splat (local.get $emphasis)) (local.get $before)))
            (v128.load32_splat (local.get $at))))
        (local.set $before (local.get $value))
        (local.set $at (i32.add (local.get $at) (i32.const 4)))
        (local.set $to (i32.add (local.get $to) (i32.const 16)))
        (br_if $shape (i32.lt_u (local.get $to) (local.get $end))))

      ;; The first pass turns nothing.
      (local.set $at (i32.const 0))
      (local.set $to (i32.const 20480))
      (loop $fourths
        (local.set $a (i32.load (local.get $at)))
        (local.set $b (i32.load offset=4 (local.get $at)))
        (local.set $c (i32.load offset=8 (local.get $at)))
        (local.set $d (i32.load offset=12 (local.get $at)))
        (local.set $aRe (v128.load (local.get $a)))
        (local.set $aIm (v128.load offset=16 (local.get $a)))
        (local.set $bRe (v128.load (local.get $b)))
        (local.set $bIm (v128.load offset=16 (local.get $b)))
        (local.set $cRe (v128.load (local.get $c)))
        (local.set $cIm (v128.load offset=16 (local.get $c)))
        (local.set $dRe (v128.load (local.get $d)))
        (local.set $dIm (v128.load offset=16 (local.get $d)))
        (local.set $sumAcRe (f32x4.add (local.get $aRe) (local.get $cRe)))
        (local.set $sumAcIm (f32x4.add (local.get $aIm) (local.get $cIm)))
        (local.set $lessAcRe (f32x4.sub (local.get $aRe) (local.get $cRe)))
        (local.set $lessAcIm (f32x4.sub (local.get $aIm) (local.get $cIm)))
        (local.set $sumBdRe (f32x4.add (local.get $bRe) (local.get $dRe)))
        (local.set $sumBdIm (f32x4.add (local.get $bIm) (local.get $dIm)))
        (local.set $lessBdRe (f32x4.sub (local.get $bRe) (local.get $dRe)))
        (local.set $lessBdIm (f32x4.sub (local.get $bIm) (local.get $dIm)))
        (v128.store (local.get $to) (f32x4.add (local.get $sumAcRe) (local.get $sumBdRe)))
        (v128.store offset=16 (local.get $to) (f32x4.add (local.get $sumAcIm) (local.get $sumBdIm)))
        (v128.store offset=32 (local.get $to) (f32x4.add (local.get $lessAcRe) (local.get $lessBdIm)))
        (v128.store offset=48 (local.get $to) (f32x4.sub (local.get $lessAcIm) (local.get $lessBdRe)))
        (v128.store offset=64 (local.get $to) (f32x4.sub (local.get $sumAcRe) (local.get $sumBdRe)))
        (v128.store offset=80 (local.get $to) (f32x4.sub (local.get $sumAcIm) (local.get $sumBdIm)))
        (v128.store offset=96 (local.get $to) (f32x4.sub (local.get $lessAcRe) (local.get $lessBdIm)))
        (v128.store offset=112 (local.get $to) (f32x4.add (local.get $lessAcIm) (local.get $lessBdRe)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (local.set $to (i32.add (local.get $to) (i32.const 128)))
        (br_if $fourths (i32.lt_u (local.get $at) (i32.const 1024))))

      ;; The others join transforms of 4, 16 and 64 values; `width` is the bytes of one.
      (local.set $turn (i32.const 1024))
      (local.set $width (i32.const 128))
      (loop $passes
        (local.set $start (i32.const 20480))
        (loop $joins
          (local.set $a (local.get $start))
          (local.set $end (i32.add (local.get $start) (local.get $width)))
          (local.set $at (local.get $turn))
          (loop $steps
            (local.set $b (i32.add (local.get $a) (local.get $width)))
            (local.set $c (i32.add (local.get $b) (local.get $width)))
            (local.set $d (i32.add (local.get $c) (local.get $width)))
            (local.set $re (v128.load (local.get $c)))
            (local.set $im (v128.load offset=16 (local.get $c)))
            (local.set $cos (v128.load32_splat offset=8 (local.get $at)))
            (local.set $sin (v128.load32_splat offset=12 (local.get $at)))
            (local.set $cRe
              (f32x4.sub
                (f32x4.mul (local.get $re) (local.get $cos)) (f32x4.mul (local.get $im) (local.get $sin))))
            (local.set $cIm
              (f32x4.add
                (f32x4.mul (local.get $re) (local.get $sin)) (f32x4.mul (local.get $im) (local.get $cos))))
            (local.set $aRe (v128.load (local.get $a)))
            (local.set $aIm (v128.load offset=16 (local.get $a)))
            (local.set $sumAcRe (f32x4.add (local.get $aRe) (local.get $cRe)))
            (local.set $sumAcIm (f32x4.add (local.get $aIm) (local.get $cIm)))
            (local.set $lessAcRe (f32x4.sub (local.get $aRe) (local.get $cRe)))
            (local.set $lessAcIm (f32x4.sub (local.get $aIm) (local.get $cIm)))
            (local.set $re (v128.load (local.get $b)))
            (local.set $im (v128.load offset=16 (local.get $b)))
            (local.set $cos (v128.load32_splat (local.get $at)))
            (local.set $sin (v128.load32_splat offset=4 (local.get $at)))
            (local.set $bRe
              (f32x4.sub
                (f32x4.mul (local.get $re) (local.get $cos)) (f32x4.mul (local.get $im) (local.get $sin))))
            (local.set $bIm
              (f32x4.add
                (f32x4.mul (local.get $re) (local.get $sin)) (f32x4.mul (local.get $im) (local.get $cos))))
            (local.set $re (v128.load (local.get $d)))
            (local.set $im (v128.load offset=16 (local.get $d)))
            (local.set $cos (v128.load32_splat offset=16 (local.get $at)))
            (local.set $sin (v128.load32_splat offset=20 (local.get $at)))
            (local.set $dRe
              (f32x4.sub
                (f32x4.mul (local.get $re) (local.get $cos)) (f32x4.mul (local.get $im) (local.get $sin))))
            (local.set $dIm
              (f32x4.add
                (f32x4.mul (local.get $re) (local.get $sin)) (f32x4.mul (local.get $im) (local.get $cos))))
            (local.set $sumBdRe (f32x4.add (local.get $bRe) (local.get $dRe)))
            (local.set $sumBdIm (f32x4.add (local.get $bIm) (local.get $dIm)))
            (local.set $lessBdRe (f32x4.sub (local.get $bRe) (local.get $dRe)))
            (local.set $lessBdIm (f32x4.sub (local.get $bIm) (local.get $dIm)))
            (v128.store (local.get $a) (f32x4.add (local.get $sumAcRe) (local.get $sumBdRe)))
            (v128.store offset=16 (local.get $a) (f32x4.add (local.get $sumAcIm) (local.get $sumBdIm)))
            (v128.store (local.get $b) (f32x4.add (local.get $lessAcRe) (local.get $lessBdIm)))
            (v128.store offset=16 (local.get $b) (f32x4.sub (local.get $lessAcIm) (local.get $lessBdRe)))
            (v128.store (local.get $c) (f32x4.sub (local.get $sumAcRe) (local.get $sumBdRe)))
            (v128.store offset=16 (local.get $c) (f32x4.sub (local.get $sumAcIm) (local.get $sumBdIm)))
            (v128.store (local.get $d) (f32x4.sub (local.get $lessAcRe) (local.get $lessBdIm)))
            (v128.store offset=16 (local.get $d) (f32x4.add (local.get $lessAcIm) (local.get $lessBdRe)))
            (local.set $a (i32.add (local.get $a) (i32.const 32)))
            (local.set $at (i32.add (local.get $at) (i32.const 24)))
            (br_if $steps (i32.lt_u (local.get $a) (local.get $end))))
          (local.set $start (i32.add (local.get $start) (i32.shl (local.get $width) (i32.const 2))))
          (br_if $joins (i32.lt_u (local.get $start) (i32.const 28672))))
        (local.set $turn (local.get $at))
        (local.set $width (i32.shl (local.get $width) (i32.const 2)))
        (br_if $passes (i32.lt_u (local.get $width) (i32.const 8192))))

      ;; Power at the two ends, then of frequencies that lie opposite to each other.
      (local.set $re (v128.load (i32.const 20480)))
      (local.set $im (v128.load offset=16 (i32.const 20480)))
      (local.set $value (f32x4.add (local.get $re) (local.get $im)))
      (v128.store (i32.const 28672) (f32x4.mul (local.get $value) (local.get $value)))
      (local.set $value (f32x4.sub (local.get $re) (local.get $im)))
      (v128.store (i32.const 32768) (f32x4.mul (local.get $value) (local.get $value)))
      (local.set $a (i32.const 20512))
      (local.set $b (i32.const 28640))
      (local.set $c (i32.const 28688))
      (local.set $d (i32.const 32752))
      (local.set $at (i32.const 3080))
      (loop $opposites
        (local.set $aRe (v128.load (local.get $a)))
        (local.set $aIm (v128.load offset=16 (local.get $a)))
        (local.set $bRe (v128.load (local.get $b)))
        (local.set $bIm (v128.load offset=16 (local.get $b)))
        (local.set $cos (v128.load32_splat (local.get $at)))
        (local.set $sin (v128.load32_splat offset=4 (local.get $at)))
        ;; The odd values' part, turned; the even values' part is in $sumAc.
        (local.set $cRe (f32x4.add (local.get $aIm) (local.get $bIm)))
        (local.set $cIm (f32x4.sub (local.get $bRe) (local.get $aRe)))
        (local.set $re
          (f32x4.sub (f32x4.mul (local.get $cRe) (local.get $cos)) (f32x4.mul (local.get $cIm) (local.get $sin))))
        (local.set $im
          (f32x4.add (f32x4.mul (local.get $cRe) (local.get $sin)) (f32x4.mul (local.get $cIm) (local.get $cos))))
        (local.set $sumAcRe
          (f32x4.mul (f32x4.add (local.get $aRe) (local.get $bRe)) (v128.const f32x4 0.5 0.5 0.5 0.5)))
        (local.set $sumAcIm
          (f32x4.mul (f32x4.sub (local.get $aIm) (local.get $bIm)) (v128.const f32x4 0.5 0.5 0.5 0.5)))
        (local.set $dRe (f32x4.add (local.get $sumAcRe) (local.get $re)))
        (local.set $dIm (f32x4.add (local.get $sumAcIm) (local.get $im)))
        (v128.store (local.get $c)
          (f32x4.add (f32x4.mul (local.get $dRe) (local.get $dRe)) (f32x4.mul (local.get $dIm) (local.get $dIm))))
        (local.set $dRe (f32x4.sub (local.get $sumAcRe) (local.get $re)))
        (local.set $dIm (f32x4.sub (local.get $sumAcIm) (local.get $im)))
        (v128.store (local.get $d)
          (f32x4.add (f32x4.mul (local.get $dRe) (local.get $dRe)) (f32x4.mul (local.get $dIm) (local.get $dIm))))
        (local.set $a (i32.add (local.get $a) (i32.const 32)))
        (local.set $b (i32.sub (local.get $b) (i32.const 32)))
        (local.set $c (i32.add (local.get $c) (i32.const 16)))
        (local.set $d (i32.sub (local.get $d) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br_if $opposites (i32.le_u (local.get $a) (local.get $b))))

      ;; Filters, and the logarithm by Cephes' polynomial (logf.c): x = m * 2^e with m from the root of a half to that of 2.
      (local.set $filter (i32.const 6176))
      (local.set $lastFilter (i32.add (i32.const 6176) (i32.shl (local.get $bands) (i32.const 3))))
      (local.set $turn (i32.const 7168))
      (local.set $to (local.get $row))
      (loop $filters
        (local.set $at (i32.load (local.get $filter)))
        (local.set $end
          (i32.add (local.get $turn) (i32.shl (i32.load offset=4 (local.get $filter)) (i32.const 2))))
        (local.set $sum (f32x4.splat (local.get $added)))
        (block $weighed
          (loop $powers
            (br_if $weighed (i32.ge_u (local.get $turn) (local.get $end)))
            (local.set $sum
              (f32x4.add
                (local.get $sum)
                (f32x4.mul (v128.load32_splat (local.get $turn)) (v128.load (local.get $at)))))
            (local.set $turn (i32.add (local.get $turn) (i32.const 4)))
            (local.set $at (i32.add (local.get $at) (i32.const 16)))
            (br $powers)))
        (local.set $sum (f32x4.max (local.get $sum) (f32x4.splat (local.get $floor))))
        (local.set $exponent
          (f32x4.convert_i32x4_s
            (i32x4.sub (i32x4.shr_u (local.get $sum) (i32.const 23)) (v128.const i32x4 126 126 126 126))))
        (local.set $value
          (v128.or
            (v128.and (local.get $sum) (v128.const i32x4 0x7fffff 0x7fffff 0x7fffff 0x7fffff))
            (v128.const f32x4 0.5 0.5 0.5 0.5)))
        (local.set $isSmall
          (f32x4.lt (local.get $value) (v128.const f32x4 0.70710678 0.70710678 0.70710678 0.70710678)))
        (local.set $exponent
          (f32x4.sub (local.get $exponent) (v128.and (local.get $isSmall) (v128.const f32x4 1 1 1 1))))
        (local.set $value
          (f32x4.sub
            (f32x4.add (local.get $value) (v128.and (local.get $isSmall) (local.get $value)))
            (v128.const f32x4 1 1 1 1)))
        (local.set $square (f32x4.mul (local.get $value) (local.get $value)))
        (local.set $sum (f32x4.splat (f32.const 7.0376836292e-2)))
        (local.set $sum
          (f32x4.add (f32x4.mul (local.get $sum) (local.get $value)) (f32x4.splat (f32.const -1.1514610310e-1))))
        (local.set $sum
          (f32x4.add (f32x4.mul (local.get $sum) (local.get $value)) (f32x4.splat (f32.const 1.1676998740e-1))))
        (local.set $sum
          (f32x4.add (f32x4.mul (local.get $sum) (local.get $value)) (f32x4.splat (f32.const -1.2420140846e-1))))
        (local.set $sum
          (f32x4.add (f32x4.mul (local.get $sum) (local.get $value)) (f32x4.splat (f32.const 1.4249322787e-1))))
        (local.set $sum
          (f32x4.add (f32x4.mul (local.get $sum) (local.get $value)) (f32x4.splat (f32.const -1.6668057665e-1))))
        (local.set $sum
          (f32x4.add (f32x4.mul (local.get $sum) (local.get $value)) (f32x4.splat (f32.const 2.0000714765e-1))))
        (local.set $sum
          (f32x4.add (f32x4.mul (local.get $sum) (local.get $value)) (f32x4.splat (f32.const -2.4999993993e-1))))
        (local.set $sum
          (f32x4.add (f32x4.mul (local.get $sum) (local.get $value)) (f32x4.splat (f32.const 3.3333331174e-1))))
        (local.set $sum (f32x4.mul (f32x4.mul (local.get $sum) (local.get $value)) (local.get $square)))
        (local.set $sum
          (f32x4.add
            (local.get $sum) (f32x4.mul (local.get $exponent) (f32x4.splat (f32.const -2.12194440e-4)))))
        (local.set $sum (f32x4.sub (local.get $sum) (f32x4.mul (local.get $square) (f32x4.splat (f32.const 0.5)))))
        (local.set $sum
          (f32x4.add
            (f32x4.add (local.get $value) (local.get $sum))
            (f32x4.mul (local.get $exponent) (f32x4.splat (f32.const 0.693359375)))))
        (local.set $sum
          (f32x4.add
            (f32x4.mul (local.get $sum) (f32x4.splat (local.get $scale))) (f32x4.splat (local.get $shift))))
        (v128.store32_lane 0 (local.get $to) (local.get $sum))
        (local.set $a (i32.add (local.get $to) (local.get $rowBytes)))
        (v128.store32_lane 1 (local.get $a) (local.get $sum))
        (local.set $a (i32.add (local.get $a) (local.get $rowBytes)))
        (v128.store32_lane 2 (local.get $a) (local.get $sum))
        (local.set $a (i32.add (local.get $a) (local.get $rowBytes)))
        (v128.store32_lane 3 (local.get $a) (local.get $sum))
        (local.set $to (i32.add (local.get $to) (i32.const 4)))
        (local.set $filter (i32.add (local.get $filter) (i32.const 8)))
        (br_if $filters (i32.lt_u (local.get $filter) (local.get $lastFilter))))

      (local.set $row (i32.add (local.get $row) (i32.shl (local.get $rowBytes) (i32.const 2))))
      (local.set $samples (i32.add (local.get $samples) (i32.const 2560)))
      (local.set $groups (i32.sub (local.get $groups) (i32.const 1)))
      (br $fours))))
