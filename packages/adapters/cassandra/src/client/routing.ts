import type { CassandraClient, CassandraToken } from './cassandra-client.ts'
import { murmur3 } from './murmur3.ts'

/**
 * Tells the driver where to route a statement, from its partition key; `undefined`: it finds that out itself. It takes tokens
 * as routing keys, and its own way from the key to the token costs a tenth of a statement.
 */
export type Routing = (key: Uint8Array) => object | undefined

/** The way of a client that is connected: as its partitioner has it, if that is the usual one. */
export function routingOf({ metadata }: CassandraClient): Routing {
  try {
    const made = metadata?.newToken(probes[0] as Buffer)
    if (made === undefined) return byDriver
    const { constructor: Token } = made as object as { readonly constructor: TokenClass }
    const { constructor: Value } = made.getValue() as { readonly constructor: ValueClass }
    const tokenOf = (key: Uint8Array): CassandraToken => {
      const { high, low } = murmur3(key)
      return new Token(new Value(low, low >>> 16, high, high >>> 16))
    }
    const isAlike = probes.every((probe) => metadata?.newToken(probe).equals(tokenOf(probe)) === true)
    return isAlike ? tokenOf : byDriver
  } catch {
    // Another partitioner, a client without metadata or with others: it knows better.
    return byDriver
  }
}

const byDriver: Routing = () => undefined

/** Lengths around the blocks of the hash, and bytes with either sign. */
const probes: readonly Buffer[] = [1, 8, 9, 15, 16, 17, 31, 50].map((length) =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 37 + length * 101) % 256)),
)

type TokenClass = new (value: object) => CassandraToken
/** Sixteen bits each, the lowest first. */
type ValueClass = new (b00: number, b16: number, b32: number, b48: number) => object
