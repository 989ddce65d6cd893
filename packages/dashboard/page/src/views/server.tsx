import type { ProcessesView } from '../api.ts'
import { bytesText, numberText, shareText } from '../units.ts'

type Server = ProcessesView['servers'][string]
type Statistics = Server['statistics']

/** A fact: its name, its text, and whether its limit is near. */
type Fact = readonly [name: string, text: string, isNear?: boolean]

/** From this share on a resource is short. */
const near = 0.9

/** How much the server of a store holds, and how full it is. */
export function ServerFacts({ server }: { readonly server: Server | undefined }) {
  if (server === undefined) return null
  const { error, why, statistics } = server
  const facts = factsOf(server)
  if (facts.length === 0 && error === undefined) return null
  return (
    <>
      <dl class="facts-row">
        {facts.map(([name, text, isNear]) => (
          <div key={name} class={isNear === true ? 'near' : undefined}>
            <dt>{name}</dt>
            <dd>
              {text}
              {isNear === true && ', nearly full'}
            </dd>
          </div>
        ))}
      </dl>
      {error !== undefined && (
        <p class="status">
          The server does not tell of itself now{why === undefined ? ` (${error}).` : `: ${why}`}
          {Object.keys(statistics).length > 0 && ' These are its last figures.'}
        </p>
      )}
    </>
  )
}

function factsOf(server: Server): readonly Fact[] {
  const {
    statistics: its,
    growthBytesPerHour,
    operationsPerSecond,
    evictionsPerSecond,
    cacheHitRate,
  } = server
  const whose = its.scope === undefined || its.scope === 'dataset' ? '' : `, of the whole ${its.scope}`
  const growth =
    growthBytesPerHour === undefined || Math.abs(growthBytesPerHour) < 1_000 ? undefined : growthBytesPerHour
  return [
    fact('records', its.records, (count) => numberText(count) + whose),
    fact(
      'size',
      its.storedBytes,
      (bytes) => `${of(bytes, its.maxStoredBytes, bytesText)}${whose}`,
      its.maxStoredBytes,
    ),
    fact('grows', growth, (bytes) => `${bytes < 0 ? '−' : '+'}${bytesText(Math.abs(bytes))} an hour`),
    fact('memory', its.memoryBytes, (bytes) => of(bytes, its.maxMemoryBytes, bytesText), its.maxMemoryBytes),
    fact(
      'connections',
      its.connections,
      (count) => of(count, its.maxConnections, numberText),
      its.maxConnections,
    ),
    fact('disk in use', its.diskUsedBytes, (bytes) => of(bytes, its.diskBytes, bytesText), its.diskBytes),
    fact('operations of all clients', operationsPerSecond, (rate) => `${numberText(rate)} a second`),
    fact('evictions', evictionsPerSecond, (rate) => `${numberText(rate)} a second`),
    fact('found by the server', cacheHitRate, shareText),
    ...versionOf(its),
  ].flatMap((one) => one ?? [])
}

function versionOf({ version }: Statistics): readonly Fact[][] {
  return version === undefined ? [] : [[['version', version]]]
}

function fact(
  name: string,
  value: number | undefined,
  text: (value: number) => string,
  most?: number,
): readonly Fact[] | undefined {
  if (value === undefined) return undefined
  return [[name, text(value), most !== undefined && most > 0 && value / most >= near]]
}

function of(used: number, most: number | undefined, text: (value: number) => string): string {
  return most === undefined || most === 0 ? text(used) : `${text(used)} of ${text(most)}`
}
