/** One run over one store. */
export interface DrivenCell {
  /** 0 loads and warms up, and is not counted; measured runs count from 1. */
  readonly run: number
  /** Always 0: this study has no axis of sizes. */
  readonly point: 0
  readonly store: string
}

/** All cells: each run goes once through the stores, and begins with another one. */
export function planRuns(runs: number, stores: readonly { readonly name: string }[]): DrivenCell[] {
  return Array.from({ length: runs + 1 }, (_, run) =>
    stores.map(
      (_store, index): DrivenCell => ({
        run,
        point: 0,
        store: stores[(index + run) % stores.length]?.name as string,
      }),
    ),
  ).flat()
}
