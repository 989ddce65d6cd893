import { cacheLife, cacheTag } from 'next/cache'
import { connection } from 'next/server'
import { Suspense } from 'react'

/** A static page with a part that is made for each request, from a function with `'use cache'`. */
export default function Page() {
  return (
    <Suspense fallback={<p>waits</p>}>
      <Live />
    </Suspense>
  )
}

async function Live() {
  await connection()
  return <p id="value">{await value()}</p>
}

async function value() {
  'use cache'
  cacheTag('live')
  cacheLife('hours')
  return (await fetch(`${process.env.ORIGIN}/live`)).text()
}
