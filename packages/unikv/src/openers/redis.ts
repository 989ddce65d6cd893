import { redis } from '@unikv/redis'
import { type Opener, oneOf, refuseOthers, withCredentials } from './opener.ts'

export const openRedis: Opener = ({ rest, scheme, parameters, dataset, name, environment }) => {
  refuseOthers('redis', parameters, ['dataset', 'durability'])
  const durability = oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory'])
  return redis({ url: withCredentials(rest, scheme, environment), dataset, durability, name })
}
