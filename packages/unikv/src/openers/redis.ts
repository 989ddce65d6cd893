import { redis } from '@unikv/redis'
import { type Opener, oneOf, refuseOthers, withCredentials } from './opener.ts'

export const openRedis: Opener = ({ rest, scheme, parameters, dataset, name, environment }) => {
  refuseOthers('redis', parameters, ['dataset', 'durability', 'driver'])
  const durability = oneOf(parameters, 'durability', ['flushed', 'buffered', 'memory'])
  const driver = oneOf(parameters, 'driver', ['ioredis', 'node-redis'])
  return redis({ url: withCredentials(rest, scheme, environment), driver, dataset, durability, name })
}
