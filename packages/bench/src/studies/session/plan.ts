/** One run of the job. */
export interface SessionCell {
  /** 0 populates and warms up, and is not counted; measured runs count from 1. */
  readonly run: number
  /** Always 0: there is no axis of sizes. */
  readonly point: 0
  readonly store: string
}

/** All cells: the population, then the runs. */
export function planSessions(
  runs: number,
  stores: readonly { readonly name: string }[],
): readonly SessionCell[] {
  return stores.flatMap(({ name: store }) =>
    Array.from({ length: runs + 1 }, (_, run): SessionCell => ({ run, point: 0, store })),
  )
}
