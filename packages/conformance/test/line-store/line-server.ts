import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Bytes, Mutation, Read, ScanRange, Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { fromLine, LineReader, toLine } from './lines.ts'

/** What a client asks: one verb, a line each way. Answers come in the order of the questions. */
export type Question =
  | { readonly verb: 'read'; readonly items: readonly Read[] }
  | { readonly verb: 'write'; readonly items: readonly Mutation<Bytes>[] }
  | { readonly verb: 'scan'; readonly range: ScanRange }

/** A server over the memory store, for a network to be put before it. */
export interface LineServer {
  readonly url: string
  close(): void
}

/** `appliesHalves`: takes a line that was cut off for a whole one. */
export async function lineServer(faults: { readonly appliesHalves?: boolean } = {}): Promise<LineServer> {
  const store = memory()
  const sockets = new Set<Socket>()
  const server: Server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    const reader = new LineReader((line) => socket.write(toLine(answer(store, fromLine(line) as Question))))
    socket.on('data', (chunk) => reader.push(chunk))
    socket.on('error', () => {})
    if (faults.appliesHalves === true) socket.on('end', () => applyHalf(store, reader.rest))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `line://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function answer(store: Store<Bytes>, question: Question): unknown {
  if (question.verb === 'read') return store.read(question.items, callOptions())
  if (question.verb === 'write') return store.write(question.items, callOptions())
  return [...(store.scan(question.range, callOptions()) as Iterable<unknown>)][0] ?? { entries: [] }
}

/** As much of a set as came. */
function applyHalf(store: Store<Bytes>, line: string): void {
  const [, key, version, text] = /"type":"set","key":"([^"]+)","value":\{"~bytes":"([^"]+)/.exec(line) ?? []
  if (key === undefined || version === undefined) return
  const value = Buffer.from(text ?? version, 'base64')
  void store.write([{ type: 'set', key, version: '0'.repeat(24), value }], callOptions())
}
