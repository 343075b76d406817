; c = a * b, n x n matrices of f32, n a multiple of 16, by 16 x 16 tiles in
; shared memory. One block of 16 x 16 threads makes one tile of c.
target triple = "nvptx64-nvidia-cuda"

@tileA = internal addrspace(3) global [256 x float] poison, align 4
@tileB = internal addrspace(3) global [256 x float] poison, align 4

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare void @llvm.nvvm.barrier0()
declare float @llvm.fma.f32(float, float, float)

define ptx_kernel void @product(ptr addrspace(1) %a, ptr addrspace(1) %b,
                                ptr addrspace(1) %c, i32 %n) {
entry:
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %rowBase = shl i32 %by, 4
  %row = add i32 %rowBase, %ty
  %colBase = shl i32 %bx, 4
  %col = add i32 %colBase, %tx
  %slotBase = shl i32 %ty, 4
  %slot = add i32 %slotBase, %tx
  %placeA = getelementptr float, ptr addrspace(3) @tileA, i32 %slot
  %placeB = getelementptr float, ptr addrspace(3) @tileB, i32 %slot
  %rowStart = mul i32 %row, %n
  br label %tiles

tiles:
  %k = phi i32 [ 0, %entry ], [ %kNext, %after ]
  %sum = phi float [ 0.0, %entry ], [ %sumNext, %after ]
  %ka = add i32 %k, %tx
  %ia = add i32 %rowStart, %ka
  %ia64 = sext i32 %ia to i64
  %pa = getelementptr float, ptr addrspace(1) %a, i64 %ia64
  %va = load float, ptr addrspace(1) %pa
  store float %va, ptr addrspace(3) %placeA
  %kb = add i32 %k, %ty
  %rb = mul i32 %kb, %n
  %ib = add i32 %rb, %col
  %ib64 = sext i32 %ib to i64
  %pb = getelementptr float, ptr addrspace(1) %b, i64 %ib64
  %vb = load float, ptr addrspace(1) %pb
  store float %vb, ptr addrspace(3) %placeB
  call void @llvm.nvvm.barrier0()
  br label %inner

inner:
  %j = phi i32 [ 0, %tiles ], [ %jNext, %inner ]
  %s = phi float [ %sum, %tiles ], [ %sNext, %inner ]
  %ja = add i32 %slotBase, %j
  %qa = getelementptr float, ptr addrspace(3) @tileA, i32 %ja
  %x = load float, ptr addrspace(3) %qa
  %jb16 = shl i32 %j, 4
  %jb = add i32 %jb16, %tx
  %qb = getelementptr float, ptr addrspace(3) @tileB, i32 %jb
  %y = load float, ptr addrspace(3) %qb
  %sNext = call float @llvm.fma.f32(float %x, float %y, float %s)
  %jNext = add i32 %j, 1
  %more = icmp ult i32 %jNext, 16
  br i1 %more, label %inner, label %after

after:
  %sumNext = phi float [ %sNext, %inner ]
  call void @llvm.nvvm.barrier0()
  %kNext = add i32 %k, 16
  %again = icmp slt i32 %kNext, %n
  br i1 %again, label %tiles, label %done

done:
  %io = add i32 %rowStart, %col
  %io64 = sext i32 %io to i64
  %pc = getelementptr float, ptr addrspace(1) %c, i64 %io64
  store float %sumNext, ptr addrspace(1) %pc
  ret void
}
