; One kernel with what else a compiler emits: a call, a jump table, constants,
; dynamic shared memory, a local array, halves, shuffles, atomics, vectors,
; volatile accesses, 64-bit division, minima with NaN, bit counts.
; 64 threads in a block; in: 64 i32; out: 64 of { i32, i32, float, half } ...
target triple = "nvptx64-nvidia-cuda"

@dynamic = external addrspace(3) global [0 x i32], align 16
@table = internal addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0]
@counter = internal addrspace(1) global i32 0

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier0()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare float @llvm.minimum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.nvvm.ex2.approx.f(float)

define internal float @choose(float %x, i32 %k) noinline {
  switch i32 %k, label %other [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %two
    i32 3, label %three
    i32 4, label %four
  ]
zero:
  ret float %x
one:
  %y1 = fadd float %x, 1.0
  ret float %y1
two:
  %y2 = fmul float %x, 1.5
  ret float %y2
three:
  %y3 = fdiv float %x, 3.0
  ret float %y3
four:
  %y4 = fsub float %x, 0.5
  ret float %y4
other:
  ret float -1.0
}

define ptx_kernel void @everything(ptr addrspace(1) %in, ptr addrspace(1) %ints,
    ptr addrspace(1) %floats, ptr addrspace(1) %halves, ptr addrspace(1) %longs,
    i64 %divisor) {
  %local = alloca [4 x i32], align 16
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %pin = getelementptr i32, ptr addrspace(1) %in, i64 %i
  %v = load i32, ptr addrspace(1) %pin

  ; Dynamic shared memory, in reverse.
  %ps = getelementptr i32, ptr addrspace(3) @dynamic, i32 %t
  store i32 %v, ptr addrspace(3) %ps
  call void @llvm.nvvm.barrier0()
  %rev = sub i32 63, %t
  %pr = getelementptr i32, ptr addrspace(3) @dynamic, i32 %rev
  %w = load i32, ptr addrspace(3) %pr

  ; A warp's sum by butterflies.
  %s16 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 16, i32 31)
  %a16 = add i32 %v, %s16
  %s8 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %a16, i32 8, i32 31)
  %a8 = add i32 %a16, %s8
  %s4 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %a8, i32 4, i32 31)
  %a4 = add i32 %a8, %s4
  %s2 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %a4, i32 2, i32 31)
  %a2 = add i32 %a4, %s2
  %s1 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %a2, i32 1, i32 31)
  %sum = add i32 %a2, %s1

  ; A local array with an index that only the thread knows.
  %l0 = getelementptr i32, ptr %local, i32 0
  store i32 10, ptr %l0
  %l1 = getelementptr i32, ptr %local, i32 1
  store i32 20, ptr %l1
  %l2 = getelementptr i32, ptr %local, i32 2
  store i32 30, ptr %l2
  %l3 = getelementptr i32, ptr %local, i32 3
  store i32 %v, ptr %l3
  %li = and i32 %v, 3
  %pl = getelementptr i32, ptr %local, i32 %li
  %lv = load i32, ptr %pl

  %bits = call i32 @llvm.ctpop.i32(i32 %v)
  %zeros = call i32 @llvm.ctlz.i32(i32 %v, i1 false)
  %rot = call i32 @llvm.fshl.i32(i32 %v, i32 %w, i32 7)
  %pair0 = insertelement <4 x i32> poison, i32 %w, i32 0
  %pair1 = insertelement <4 x i32> %pair0, i32 %sum, i32 1
  %bz = add i32 %bits, %zeros
  %bzl = add i32 %bz, %lv
  %pair2 = insertelement <4 x i32> %pair1, i32 %bzl, i32 2
  %pair3 = insertelement <4 x i32> %pair2, i32 %rot, i32 3
  %po = getelementptr <4 x i32>, ptr addrspace(1) %ints, i64 %i
  store <4 x i32> %pair3, ptr addrspace(1) %po

  ; Floats: a call with a jump table, a table of constants, square roots.
  %k = urem i32 %t, 6
  %vf = sitofp i32 %v to float
  %f = call float @choose(float %vf, i32 %k)
  %ci = and i32 %t, 3
  %pt = getelementptr float, ptr addrspace(4) @table, i32 %ci
  %c = load float, ptr addrspace(4) %pt
  %g = fadd float %f, %c
  %m = call float @llvm.minimum.f32(float %g, float 1000.0)
  %mm = call float @llvm.maxnum.f32(float %m, float -7.0)
  %r = call float @llvm.sqrt.f32(float %c)
  %e = call float @llvm.nvvm.ex2.approx.f(float %c)
  %re = fadd float %r, %e
  %cs = call float @llvm.copysign.f32(float %re, float %vf)
  %h = fsub float %mm, %cs
  %pf = getelementptr float, ptr addrspace(1) %floats, i64 %i
  store float %h, ptr addrspace(1) %pf

  ; Halves: arithmetic in f16.
  %half = fptrunc float %c to half
  %half2 = fmul half %half, 1.25
  %half3 = fadd half %half2, %half
  %ph = getelementptr half, ptr addrspace(1) %halves, i64 %i
  store half %half3, ptr addrspace(1) %ph

  ; 64-bit division, which LLVM tries in 32 bits first.
  %v64 = sext i32 %v to i64
  %q = sdiv i64 %v64, %divisor
  %rem = srem i64 %v64, %divisor
  %hi = shl i64 %q, 32
  %both = or i64 %hi, %rem
  %pq = getelementptr i64, ptr addrspace(1) %longs, i64 %i
  store volatile i64 %both, ptr addrspace(1) %pq

  %old = atomicrmw add ptr addrspace(1) @counter, i32 1 monotonic
  ret void
}
