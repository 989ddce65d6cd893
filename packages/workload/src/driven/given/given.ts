/** The fields of the command line as they were given. */
export interface Given {
  readonly preset?: string
  readonly propertyFile?: readonly string[]
  readonly property?: readonly string[]
  readonly records?: number
  readonly mix?: object
  readonly keys?: object
  readonly valueSize?: object
  readonly scanLength?: object
  readonly batch?: number
  readonly duration?: number
  readonly warmup?: number
  readonly operations?: number
  readonly concurrency?: number
  readonly rate?: number
}
