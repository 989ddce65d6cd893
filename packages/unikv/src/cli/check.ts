import { loadConfig, openStores, type StoreHealth } from '@unikv/manager'
import { formatMs } from '@unikv/workload/report'
import { sectionsText } from './columns.ts'
import type { Terminal } from './terminal.ts'

/** Options of `unikv check`. */
export interface CheckOptions {
  readonly config?: string
  readonly timeout: number
  readonly json?: true
}

/** Ask each store of the configuration for an answer, and print what it says. Returns whether all of them gave one. */
export async function check(
  { config, timeout, json }: CheckOptions,
  { out, width }: Terminal,
): Promise<boolean> {
  const { ready, close } = await openStores({ ...(await loadConfig(config)), monitor: false })
  try {
    const health = await ready({ timeoutMs: timeout * 1000 })
    out(json === true ? `${JSON.stringify(health, null, 2)}\n` : textOf(health.stores, width))
    return health.isReady
  } finally {
    await close()
  }
}

function textOf(stores: { readonly [name: string]: StoreHealth }, width: number | undefined): string {
  const rows = Object.entries(stores).map(([name, health]) =>
    health.isReady
      ? [name, '✓', `answers in ${formatMs(health.tookMs)}`]
      : [name, '✗', `${health.code}: ${health.message}`],
  )
  return sectionsText([{ head: ['store', '', ''], rows }], width)
}
