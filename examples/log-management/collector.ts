// Runs beside the systems of a tenant: makes logs of the lines of several sources, and sends them in batches.
import type { Log } from './log.ts'

/** Lines of one application on one host. */
export interface Source {
  readonly host: string
  readonly application: string
  readonly lines: AsyncIterable<string> | Iterable<string>
}

const line = /^(?<at>\S+) (?<level>debug|info|warning|error) (?:\[(?<address>[^\]]*)\] )?(?<message>.*)$/

/**
 * Send all lines of the sources, and tell how many were sent and how many could not be read.
 *
 * @param send takes a batch
 */
export async function collect(
  sources: readonly Source[],
  send: (logs: readonly Log[]) => Promise<unknown>,
  batch = 100,
): Promise<{ readonly sent: number; readonly unread: number }> {
  let waiting: Log[] = []
  let [sent, unread] = [0, 0]
  const flush = async (): Promise<void> => {
    const logs = waiting
    waiting = []
    if (logs.length > 0) await send(logs)
    sent += logs.length
  }
  const read = async ({ host, application, lines }: Source): Promise<void> => {
    for await (const text of lines) {
      const { at, level, address = '', message = '' } = line.exec(text)?.groups ?? {}
      if (at === undefined) unread++
      else {
        const id = `${at}-${String(sent + waiting.length).padStart(7, '0')}`
        waiting.push({ id, at, level: level as Log['level'], host, application, address, message })
      }
      if (waiting.length >= batch) await flush()
    }
  }
  for (const source of sources) await read(source)
  await flush()
  return { sent, unread }
}
