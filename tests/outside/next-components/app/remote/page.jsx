import { cacheLife, cacheTag } from 'next/cache'
import { connection } from 'next/server'
import { Suspense } from 'react'

/** A static page with a part that is made for each request, from a function with `'use cache: remote'`. */
export default function Page() {
  return (
    <Suspense fallback={<p>waits</p>}>
      <Remote />
    </Suspense>
  )
}

async function Remote() {
  await connection()
  return <p id="value">{await value()}</p>
}

async function value() {
  'use cache: remote'
  cacheTag('remote')
  cacheLife('hours')
  return (await fetch(`${process.env.ORIGIN}/remote`)).text()
}
