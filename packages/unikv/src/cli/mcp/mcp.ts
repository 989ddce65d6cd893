import { once } from 'node:events'
import { cannotLoad } from '@unikv/core/adapter'
import { dashboard } from '@unikv/dashboard'
import { openedStores, resultsIn } from '../dashboard/dashboard.ts'
import type { Form } from '../data/place.ts'
import type { Terminal } from '../terminal.ts'
import { comparing } from './comparing.ts'
import { askOf, mcpServer } from './server.ts'

/** Options of `unikv mcp`. */
export interface McpCommandOptions {
  readonly config?: string
  readonly as?: Form
}

/** Serve the tools on standard input and output, until input ends or Ctrl-C. */
export async function serveMcp(
  places: readonly string[],
  options: McpCommandOptions,
  terminal: Terminal,
): Promise<void> {
  const folders = await resultsIn(places)
  const Transport = await loadTransport()
  const opened = await openedStores(places, folders, options)
  try {
    const page = dashboard(opened.manager, {
      authorize: () => ({ name: 'mcp', may: 'read' }),
      history: opened.history,
      reports:
        folders.length === 0 ? undefined : (await import('../dashboard/reports.ts')).reportsIn(folders),
      onLook: ({ store, key }) =>
        terminal.error(`unikv: a look at ${JSON.stringify(key)} of ${store}, which is stored encrypted\n`),
    })
    const ask = askOf(page.fetch, 'http://localhost', new Headers())
    const server = await mcpServer({ ask, compare: comparing(folders, ask) })
    const input = terminal.stdin ?? process.stdin
    const ended = once(input, 'end')
    const interrupted = new Promise<void>((end) => terminal.onInterrupt(end))
    await server.connect(new Transport(input, terminal.stdout))
    await Promise.race([ended, interrupted])
    await server.close()
    page.close()
  } finally {
    await opened.close()
  }
}

async function loadTransport() {
  try {
    return (await import('@modelcontextprotocol/sdk/server/stdio.js')).StdioServerTransport
  } catch (cause) {
    throw cannotLoad('@modelcontextprotocol/sdk', cause)
  }
}
