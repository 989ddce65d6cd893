import { type OpeningOptions, plantedSecret } from '@unikv/conformance'
import { Line } from '../line-store/line.ts'
import { lineServer } from '../line-store/line-server.ts'
import { behind, password, prepareShelf, type ShelfOptions, shelf, textBehind } from './shelf.ts'

/** The hooks of the suite, but for those of a test runner. */
export type ShelfHooks = Omit<OpeningOptions<ShelfOptions>, 'test' | 'describe'>

/** A line server and the hooks of sound shelves on it. */
export async function shelfOpening(): Promise<{ readonly hooks: ShelfHooks; readonly close: () => void }> {
  const server = await lineServer()
  const address = new URL(server.url).host
  await behind(address, { key: '!password', value: Buffer.from(password) })
  await behind(address, { key: '!all' })
  let shelves = 0
  const missing = (): ShelfOptions => ({ shelf: `shelf${shelves++}`, address, password })
  const fresh = async (): Promise<ShelfOptions> => {
    const options = missing()
    await prepareShelf(options)
    return options
  }
  const hooks: ShelfHooks = {
    make: shelf,
    fresh,
    patienceMs: 2_000,
    refused: [['a name with a secret', { shelf: `Shelf/${plantedSecret}`, address, password }]],
    server: {
      address,
      at: (to, other = password) => ({ shelf: 'all', address: to, password: other }),
      asksPassword: true,
      withTls: (to) => ({ shelf: 'all', address: to, password, tls: true }),
    },
    preparing: {
      prepare: prepareShelf,
      missing,
      onCall: (options) => ({ ...options, prepare: true }),
      remove: ({ shelf: name }) => behind(address, { type: 'delete', key: `!${name}` }),
    },
    foreign: [
      [
        'a shelf of others',
        async () => {
          const options = missing()
          const mark = `!${options.shelf}`
          await behind(address, { key: mark, value: Buffer.from('theirs') })
          return {
            options,
            intact: async () => {
              if ((await textBehind(address, mark)) !== 'theirs') throw new Error('The shelf was taken.')
            },
          }
        },
      ],
    ],
    client: async () => {
      const { address: _, ...options } = await fresh()
      const client = await Line.open(server.url)
      return {
        client,
        options: { ...options, client },
        works: () => client.ask({ verb: 'read', items: [{ key: '!password' }] }),
        close: () => client.destroy(),
      }
    },
    module: module('shelf-adapter'),
  }
  return { hooks, close: () => server.close() }
}

/** A module that other processes load. */
export function module(name: string, prepare = 'prepareShelf'): NonNullable<ShelfHooks['module']> {
  const url = new URL(`fixtures/${name}.mjs`, import.meta.url)
  return { url, make: 'shelf', prepare, drivers: ['node:dgram'] }
}
