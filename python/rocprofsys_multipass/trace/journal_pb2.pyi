from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Agent(_message.Message):
    __slots__ = ["counters", "cu_count", "device", "device_id", "gpu", "index", "local_mem_size", "logical_node_id", "logical_node_type_id", "max_engine_clk_fcompute", "max_waves_per_cu", "max_waves_per_simd", "mem_clk_max", "memory_partition", "model_name", "name", "node_id", "num_shader_banks", "num_xcc", "plan", "product_name", "simd_count", "simd_per_cu", "uuid", "vendor_name", "wave_front_size"]
    COUNTERS_FIELD_NUMBER: _ClassVar[int]
    CU_COUNT_FIELD_NUMBER: _ClassVar[int]
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_ID_FIELD_NUMBER: _ClassVar[int]
    GPU_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    LOCAL_MEM_SIZE_FIELD_NUMBER: _ClassVar[int]
    LOGICAL_NODE_ID_FIELD_NUMBER: _ClassVar[int]
    LOGICAL_NODE_TYPE_ID_FIELD_NUMBER: _ClassVar[int]
    MAX_ENGINE_CLK_FCOMPUTE_FIELD_NUMBER: _ClassVar[int]
    MAX_WAVES_PER_CU_FIELD_NUMBER: _ClassVar[int]
    MAX_WAVES_PER_SIMD_FIELD_NUMBER: _ClassVar[int]
    MEMORY_PARTITION_FIELD_NUMBER: _ClassVar[int]
    MEM_CLK_MAX_FIELD_NUMBER: _ClassVar[int]
    MODEL_NAME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    NUM_SHADER_BANKS_FIELD_NUMBER: _ClassVar[int]
    NUM_XCC_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    PRODUCT_NAME_FIELD_NUMBER: _ClassVar[int]
    SIMD_COUNT_FIELD_NUMBER: _ClassVar[int]
    SIMD_PER_CU_FIELD_NUMBER: _ClassVar[int]
    UUID_FIELD_NUMBER: _ClassVar[int]
    VENDOR_NAME_FIELD_NUMBER: _ClassVar[int]
    WAVE_FRONT_SIZE_FIELD_NUMBER: _ClassVar[int]
    counters: _containers.RepeatedCompositeFieldContainer[Counter]
    cu_count: int
    device: int
    device_id: int
    gpu: bool
    index: int
    local_mem_size: int
    logical_node_id: int
    logical_node_type_id: int
    max_engine_clk_fcompute: int
    max_waves_per_cu: int
    max_waves_per_simd: int
    mem_clk_max: int
    memory_partition: str
    model_name: str
    name: str
    node_id: int
    num_shader_banks: int
    num_xcc: int
    plan: Plan
    product_name: str
    simd_count: int
    simd_per_cu: int
    uuid: str
    vendor_name: str
    wave_front_size: int
    def __init__(self, index: _Optional[int] = ..., gpu: bool = ..., device: _Optional[int] = ..., node_id: _Optional[int] = ..., logical_node_id: _Optional[int] = ..., logical_node_type_id: _Optional[int] = ..., name: _Optional[str] = ..., vendor_name: _Optional[str] = ..., product_name: _Optional[str] = ..., model_name: _Optional[str] = ..., device_id: _Optional[int] = ..., uuid: _Optional[str] = ..., cu_count: _Optional[int] = ..., simd_count: _Optional[int] = ..., simd_per_cu: _Optional[int] = ..., wave_front_size: _Optional[int] = ..., num_xcc: _Optional[int] = ..., num_shader_banks: _Optional[int] = ..., max_waves_per_simd: _Optional[int] = ..., max_engine_clk_fcompute: _Optional[int] = ..., local_mem_size: _Optional[int] = ..., counters: _Optional[_Iterable[_Union[Counter, _Mapping]]] = ..., plan: _Optional[_Union[Plan, _Mapping]] = ..., max_waves_per_cu: _Optional[int] = ..., mem_clk_max: _Optional[int] = ..., memory_partition: _Optional[str] = ...) -> None: ...

class BlockUse(_message.Message):
    __slots__ = ["block", "capacity", "registers"]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    REGISTERS_FIELD_NUMBER: _ClassVar[int]
    block: str
    capacity: int
    registers: int
    def __init__(self, block: _Optional[str] = ..., registers: _Optional[int] = ..., capacity: _Optional[int] = ...) -> None: ...

class Checkpoint(_message.Message):
    __slots__ = ["at_ns", "dispatches", "dropped", "in_flight"]
    AT_NS_FIELD_NUMBER: _ClassVar[int]
    DISPATCHES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    at_ns: int
    dispatches: int
    dropped: int
    in_flight: int
    def __init__(self, dispatches: _Optional[int] = ..., in_flight: _Optional[int] = ..., dropped: _Optional[int] = ..., at_ns: _Optional[int] = ...) -> None: ...

class Counter(_message.Message):
    __slots__ = ["block", "description", "dimensions", "expression", "instances", "is_constant", "is_derived", "name"]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DIMENSIONS_FIELD_NUMBER: _ClassVar[int]
    EXPRESSION_FIELD_NUMBER: _ClassVar[int]
    INSTANCES_FIELD_NUMBER: _ClassVar[int]
    IS_CONSTANT_FIELD_NUMBER: _ClassVar[int]
    IS_DERIVED_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    block: str
    description: str
    dimensions: _containers.RepeatedCompositeFieldContainer[Dimension]
    expression: str
    instances: int
    is_constant: bool
    is_derived: bool
    name: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., block: _Optional[str] = ..., expression: _Optional[str] = ..., is_constant: bool = ..., is_derived: bool = ..., instances: _Optional[int] = ..., dimensions: _Optional[_Iterable[_Union[Dimension, _Mapping]]] = ...) -> None: ...

class Dimension(_message.Message):
    __slots__ = ["name", "size"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    name: str
    size: int
    def __init__(self, name: _Optional[str] = ..., size: _Optional[int] = ...) -> None: ...

class Dispatch(_message.Message):
    __slots__ = ["agent", "correlation_id", "dispatch_id", "grid", "group_segment_size", "kernel", "outcome", "passes", "passes_planned", "private_segment_size", "queue_id", "reason", "stream_id", "thread_id", "timing", "warm_up", "workgroup"]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    DISPATCH_ID_FIELD_NUMBER: _ClassVar[int]
    GRID_FIELD_NUMBER: _ClassVar[int]
    GROUP_SEGMENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    KERNEL_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    PASSES_FIELD_NUMBER: _ClassVar[int]
    PASSES_PLANNED_FIELD_NUMBER: _ClassVar[int]
    PRIVATE_SEGMENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    QUEUE_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    STREAM_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_ID_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    WARM_UP_FIELD_NUMBER: _ClassVar[int]
    WORKGROUP_FIELD_NUMBER: _ClassVar[int]
    agent: int
    correlation_id: int
    dispatch_id: int
    grid: _containers.RepeatedScalarFieldContainer[int]
    group_segment_size: int
    kernel: int
    outcome: str
    passes: _containers.RepeatedCompositeFieldContainer[Pass]
    passes_planned: int
    private_segment_size: int
    queue_id: int
    reason: str
    stream_id: int
    thread_id: int
    timing: Interval
    warm_up: Interval
    workgroup: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, dispatch_id: _Optional[int] = ..., agent: _Optional[int] = ..., kernel: _Optional[int] = ..., queue_id: _Optional[int] = ..., stream_id: _Optional[int] = ..., thread_id: _Optional[int] = ..., correlation_id: _Optional[int] = ..., grid: _Optional[_Iterable[int]] = ..., workgroup: _Optional[_Iterable[int]] = ..., private_segment_size: _Optional[int] = ..., group_segment_size: _Optional[int] = ..., outcome: _Optional[str] = ..., reason: _Optional[str] = ..., passes_planned: _Optional[int] = ..., passes: _Optional[_Iterable[_Union[Pass, _Mapping]]] = ..., warm_up: _Optional[_Union[Interval, _Mapping]] = ..., timing: _Optional[_Union[Interval, _Mapping]] = ...) -> None: ...

class End(_message.Message):
    __slots__ = ["dispatches", "end_ns"]
    DISPATCHES_FIELD_NUMBER: _ClassVar[int]
    END_NS_FIELD_NUMBER: _ClassVar[int]
    dispatches: int
    end_ns: int
    def __init__(self, dispatches: _Optional[int] = ..., end_ns: _Optional[int] = ...) -> None: ...

class Frame(_message.Message):
    __slots__ = ["agent", "checkpoint", "dispatch", "end", "kernel", "run", "warning"]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    DISPATCH_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    KERNEL_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    WARNING_FIELD_NUMBER: _ClassVar[int]
    agent: Agent
    checkpoint: Checkpoint
    dispatch: Dispatch
    end: End
    kernel: Kernel
    run: Run
    warning: Warning
    def __init__(self, run: _Optional[_Union[Run, _Mapping]] = ..., agent: _Optional[_Union[Agent, _Mapping]] = ..., kernel: _Optional[_Union[Kernel, _Mapping]] = ..., dispatch: _Optional[_Union[Dispatch, _Mapping]] = ..., warning: _Optional[_Union[Warning, _Mapping]] = ..., end: _Optional[_Union[End, _Mapping]] = ..., checkpoint: _Optional[_Union[Checkpoint, _Mapping]] = ...) -> None: ...

class Instances(_message.Message):
    __slots__ = ["positions", "values"]
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    positions: _containers.RepeatedScalarFieldContainer[int]
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, positions: _Optional[_Iterable[int]] = ..., values: _Optional[_Iterable[float]] = ...) -> None: ...

class Interval(_message.Message):
    __slots__ = ["end_ns", "start_ns"]
    END_NS_FIELD_NUMBER: _ClassVar[int]
    START_NS_FIELD_NUMBER: _ClassVar[int]
    end_ns: int
    start_ns: int
    def __init__(self, start_ns: _Optional[int] = ..., end_ns: _Optional[int] = ...) -> None: ...

class Kernel(_message.Message):
    __slots__ = ["accum_vgpr_count", "agent", "arch_vgpr_count", "code_object_id", "demangled", "group_segment_size", "id", "kernarg_segment_alignment", "kernarg_segment_size", "name", "private_segment_size", "sgpr_count"]
    ACCUM_VGPR_COUNT_FIELD_NUMBER: _ClassVar[int]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    ARCH_VGPR_COUNT_FIELD_NUMBER: _ClassVar[int]
    CODE_OBJECT_ID_FIELD_NUMBER: _ClassVar[int]
    DEMANGLED_FIELD_NUMBER: _ClassVar[int]
    GROUP_SEGMENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    KERNARG_SEGMENT_ALIGNMENT_FIELD_NUMBER: _ClassVar[int]
    KERNARG_SEGMENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PRIVATE_SEGMENT_SIZE_FIELD_NUMBER: _ClassVar[int]
    SGPR_COUNT_FIELD_NUMBER: _ClassVar[int]
    accum_vgpr_count: int
    agent: int
    arch_vgpr_count: int
    code_object_id: int
    demangled: str
    group_segment_size: int
    id: int
    kernarg_segment_alignment: int
    kernarg_segment_size: int
    name: str
    private_segment_size: int
    sgpr_count: int
    def __init__(self, id: _Optional[int] = ..., code_object_id: _Optional[int] = ..., agent: _Optional[int] = ..., name: _Optional[str] = ..., demangled: _Optional[str] = ..., kernarg_segment_size: _Optional[int] = ..., kernarg_segment_alignment: _Optional[int] = ..., group_segment_size: _Optional[int] = ..., private_segment_size: _Optional[int] = ..., sgpr_count: _Optional[int] = ..., arch_vgpr_count: _Optional[int] = ..., accum_vgpr_count: _Optional[int] = ...) -> None: ...

class Pass(_message.Message):
    __slots__ = ["counters", "end_ns", "group", "instances", "start_ns", "values"]
    COUNTERS_FIELD_NUMBER: _ClassVar[int]
    END_NS_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    INSTANCES_FIELD_NUMBER: _ClassVar[int]
    PASS_FIELD_NUMBER: _ClassVar[int]
    START_NS_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    counters: _containers.RepeatedScalarFieldContainer[int]
    end_ns: int
    group: int
    instances: _containers.RepeatedCompositeFieldContainer[Instances]
    start_ns: int
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, group: _Optional[int] = ..., start_ns: _Optional[int] = ..., end_ns: _Optional[int] = ..., counters: _Optional[_Iterable[int]] = ..., values: _Optional[_Iterable[float]] = ..., instances: _Optional[_Iterable[_Union[Instances, _Mapping]]] = ..., **kwargs) -> None: ...

class Plan(_message.Message):
    __slots__ = ["groups", "lower_bound", "passes", "proof", "unplaceable"]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    LOWER_BOUND_FIELD_NUMBER: _ClassVar[int]
    PASSES_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    UNPLACEABLE_FIELD_NUMBER: _ClassVar[int]
    groups: _containers.RepeatedCompositeFieldContainer[PlannedGroup]
    lower_bound: int
    passes: _containers.RepeatedCompositeFieldContainer[PlannedPass]
    proof: str
    unplaceable: _containers.RepeatedCompositeFieldContainer[Unplaceable]
    def __init__(self, passes: _Optional[_Iterable[_Union[PlannedPass, _Mapping]]] = ..., lower_bound: _Optional[int] = ..., proof: _Optional[str] = ..., groups: _Optional[_Iterable[_Union[PlannedGroup, _Mapping]]] = ..., unplaceable: _Optional[_Iterable[_Union[Unplaceable, _Mapping]]] = ...) -> None: ...

class PlannedGroup(_message.Message):
    __slots__ = ["counters"]
    COUNTERS_FIELD_NUMBER: _ClassVar[int]
    PASS_FIELD_NUMBER: _ClassVar[int]
    counters: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, counters: _Optional[_Iterable[str]] = ..., **kwargs) -> None: ...

class PlannedPass(_message.Message):
    __slots__ = ["blocks", "counters", "sentinels"]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    COUNTERS_FIELD_NUMBER: _ClassVar[int]
    SENTINELS_FIELD_NUMBER: _ClassVar[int]
    blocks: _containers.RepeatedCompositeFieldContainer[BlockUse]
    counters: _containers.RepeatedScalarFieldContainer[str]
    sentinels: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, counters: _Optional[_Iterable[str]] = ..., sentinels: _Optional[_Iterable[str]] = ..., blocks: _Optional[_Iterable[_Union[BlockUse, _Mapping]]] = ...) -> None: ...

class Run(_message.Message):
    __slots__ = ["boottime_ns", "command", "compute_panels", "events", "guid", "hostname", "keeps_instances", "kernel_replay", "machine_id", "monotonic_ns", "permute_groups", "pid", "ppid", "rank", "realtime_ns", "replay_mode", "run_token", "sdk_library", "sdk_version", "sets", "simulated", "start_ns", "system_name", "system_release", "system_version", "timing_pass", "tool_version", "warm_up_pass"]
    BOOTTIME_NS_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    COMPUTE_PANELS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    GUID_FIELD_NUMBER: _ClassVar[int]
    HOSTNAME_FIELD_NUMBER: _ClassVar[int]
    KEEPS_INSTANCES_FIELD_NUMBER: _ClassVar[int]
    KERNEL_REPLAY_FIELD_NUMBER: _ClassVar[int]
    MACHINE_ID_FIELD_NUMBER: _ClassVar[int]
    MONOTONIC_NS_FIELD_NUMBER: _ClassVar[int]
    PERMUTE_GROUPS_FIELD_NUMBER: _ClassVar[int]
    PID_FIELD_NUMBER: _ClassVar[int]
    PPID_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    REALTIME_NS_FIELD_NUMBER: _ClassVar[int]
    REPLAY_MODE_FIELD_NUMBER: _ClassVar[int]
    RUN_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SDK_LIBRARY_FIELD_NUMBER: _ClassVar[int]
    SDK_VERSION_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    SIMULATED_FIELD_NUMBER: _ClassVar[int]
    START_NS_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_NAME_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_RELEASE_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_VERSION_FIELD_NUMBER: _ClassVar[int]
    TIMING_PASS_FIELD_NUMBER: _ClassVar[int]
    TOOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    WARM_UP_PASS_FIELD_NUMBER: _ClassVar[int]
    boottime_ns: int
    command: _containers.RepeatedScalarFieldContainer[str]
    compute_panels: _containers.RepeatedScalarFieldContainer[int]
    events: str
    guid: str
    hostname: str
    keeps_instances: bool
    kernel_replay: bool
    machine_id: str
    monotonic_ns: int
    permute_groups: bool
    pid: int
    ppid: int
    rank: int
    realtime_ns: int
    replay_mode: str
    run_token: str
    sdk_library: str
    sdk_version: str
    sets: _containers.RepeatedScalarFieldContainer[str]
    simulated: bool
    start_ns: int
    system_name: str
    system_release: str
    system_version: str
    timing_pass: bool
    tool_version: str
    warm_up_pass: bool
    def __init__(self, tool_version: _Optional[str] = ..., sdk_version: _Optional[str] = ..., sdk_library: _Optional[str] = ..., simulated: bool = ..., kernel_replay: bool = ..., replay_mode: _Optional[str] = ..., guid: _Optional[str] = ..., command: _Optional[_Iterable[str]] = ..., pid: _Optional[int] = ..., ppid: _Optional[int] = ..., rank: _Optional[int] = ..., hostname: _Optional[str] = ..., machine_id: _Optional[str] = ..., system_name: _Optional[str] = ..., system_release: _Optional[str] = ..., system_version: _Optional[str] = ..., start_ns: _Optional[int] = ..., boottime_ns: _Optional[int] = ..., monotonic_ns: _Optional[int] = ..., realtime_ns: _Optional[int] = ..., events: _Optional[str] = ..., run_token: _Optional[str] = ..., sets: _Optional[_Iterable[str]] = ..., warm_up_pass: bool = ..., timing_pass: bool = ..., permute_groups: bool = ..., compute_panels: _Optional[_Iterable[int]] = ..., keeps_instances: bool = ...) -> None: ...

class Unplaceable(_message.Message):
    __slots__ = ["block", "counter", "limit", "needs", "reason"]
    BLOCK_FIELD_NUMBER: _ClassVar[int]
    COUNTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    NEEDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    block: str
    counter: str
    limit: int
    needs: int
    reason: str
    def __init__(self, counter: _Optional[str] = ..., reason: _Optional[str] = ..., block: _Optional[str] = ..., needs: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class Warning(_message.Message):
    __slots__ = ["text"]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...
