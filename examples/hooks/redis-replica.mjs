import { setTimeout as wait } from 'node:timers/promises'
import { answer, isUp, redis, request, start, stop } from './redis-server.mjs'

/*
 * A hook of the tuner that adds a replica to a Redis server, and removes it:
 * hookTactic({ name: 'add-replica', command: ['node', 'redis-replica.mjs', '6379', '6380'], … }). Each action may come several times.
 */

const [primary = 6379, replica = 6380] = process.argv.slice(2).map(Number)

const isReplica = () => isUp(replica) && /master_link_status:up/.test(redis(replica, 'INFO', 'replication'))

async function add() {
  await start(replica)
  redis(replica, 'REPLICAOF', '127.0.0.1', String(primary))
  while (!isReplica()) await wait(100)
}

const { action } = request()
if (action === 'do') await add()
if (action === 'undo') stop(replica)
answer(action === 'status' ? isReplica() : true)
