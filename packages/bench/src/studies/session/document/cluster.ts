import { type Place, wrongIn } from './place.ts'
import { type ClusterPart, clusterSchema } from './schema.ts'
import { shaped } from './shaped.ts'

/** The threads or workers of a job. */
export interface GivenCluster {
  readonly threads: number | undefined
  readonly workers: number | undefined
  /** Where workers wait, and how long they are waited for; `undefined`: there are none. */
  readonly queue: { readonly url: string; readonly waitMs: number | undefined } | undefined
}

/** The part `cluster` of a job. */
export function clusterIn(
  given: unknown,
  place: Place,
  withVariables: (url: string) => string,
): GivenCluster {
  const part = shaped(clusterSchema, given ?? {}, 'cluster', place)
  const wrong = mistakeIn(part)
  if (wrong !== undefined) throw wrongIn(place, `cluster.${wrong[0]}`, wrong[1])
  const { threads, workers, queue: url, wait: waitMs } = part
  return { threads, workers, queue: url === undefined ? undefined : { url: withVariables(url), waitMs } }
}

function mistakeIn({ threads, workers, queue, wait }: ClusterPart): readonly [string, string] | undefined {
  if (threads !== undefined && workers !== undefined)
    return ['workers', 'there are threads, too: leave one of them out']
  if (workers !== undefined && queue === undefined)
    return ['workers', 'they need a `queue`: the URL of the Redis where they wait']
  if (workers === undefined && queue !== undefined)
    return ['queue', 'it needs `workers`: how many share the sessions']
  if (workers === undefined && wait !== undefined)
    return ['wait', 'it needs `workers`: it is the longest wait for them']
  return undefined
}
