/** The description of a run in the result of every bench. Times are in milliseconds. */
export interface RunResult {
  /**
   * `interrupted`, `failed` and `invalid` runs hold what was finished until then. `invalid`: a store did not return what
   * was written, or the generator could not keep up, so the figures say nothing about the store. `crossed`: complete,
   * and a threshold was crossed.
   */
  readonly status: 'complete' | 'crossed' | 'interrupted' | 'failed' | 'invalid'
  /** Why a run failed or is invalid, what threshold it crossed, and which stores still hold what it wrote. `null` if there is nothing to tell. */
  readonly error: string | null
  readonly runId: string
  /** ISO 8601. */
  readonly startedAt: string
  readonly elapsedMs: number
  readonly environment: Environment
  /** The command that repeats the run, without secrets; `null` if a program started it. */
  readonly command: string | null
  /** Versions of packages and drivers by name. */
  readonly versions: Readonly<Record<string, string>>
  readonly data: DataInfo
  readonly stores: readonly StoreInfo[]
}

/** The machine and the runtime. */
export interface Environment {
  readonly node: string
  readonly v8: string
  readonly platform: string
  readonly release: string
  readonly architecture: string
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
}

/** The data that was stored. */
export interface DataInfo {
  readonly kind: 'synthetic' | 'files' | 'module'
  readonly description: string
}

/** A store that was measured. */
export interface StoreInfo {
  readonly name: string
  /** Without user info. */
  readonly url: string
  /** Name of its adapter. */
  readonly adapter: string
  readonly durability: string
  /** Facts that its server reports: its version, and settings that matter. Empty if there are none. */
  readonly server: Readonly<Record<string, string>>
}
