export { readTrace, type TraceOptions } from './trace/read-trace.ts'
export type { TraceOperation, TraceRequest } from './trace/trace-request.ts'
