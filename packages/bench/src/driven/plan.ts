/** One run over one store. */
export interface DrivenCell {
  /** 0 loads and warms up, and is not counted; measured runs count from 1. */
  readonly run: number
  /** Always 0: this study has no axis of sizes. */
  readonly point: 0
  readonly store: string
  /** Name of the phase; `null`: runs have no phases, or it is the load. */
  readonly phase: string | null
}

/**
 * All cells: each run goes once through the stores, and begins with another one. The phases of a run follow each other in one
 * store.
 */
export function planRuns(
  runs: number,
  stores: readonly { readonly name: string }[],
  phases: readonly (string | null)[] = [null],
): DrivenCell[] {
  return Array.from({ length: runs + 1 }, (_, run) =>
    stores.flatMap((_store, index) => {
      const store = stores[(index + run) % stores.length]?.name as string
      const parts = run === 0 ? [null] : phases
      return parts.map((phase): DrivenCell => ({ run, point: 0, store, phase }))
    }),
  ).flat()
}
