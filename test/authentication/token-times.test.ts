/** Clocks differ a little: when a token is good. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { issuerLeeway, ownLeeway, timeProblem } from '../../src/authentication/jwt-verify.ts';

const now = 1_800_000_000;

describe('a token of now', () => {
  const rows: readonly [JsonObject, string | undefined][] = [
    [{}, undefined],
    [{ exp: now + 1, nbf: now - 1, iat: now - 1 }, undefined],
    [{ exp: now - 10 }, undefined],
    [{ exp: now - 10.5 }, 'it has expired'],
    [{ nbf: now + 10 }, undefined],
    [{ nbf: now + 10.5 }, 'it is not valid yet'],
    [{ iat: now + 10 }, undefined],
    [{ iat: now + 10.5 }, 'it is from the future'],
    ...['exp', 'nbf', 'iat'].flatMap((name): [JsonObject, string][] => [
      [{ [name]: String(now) }, `the claim ${name} is no number`],
      [{ [name]: null }, `the claim ${name} is no number`],
    ]),
  ];
  for (const [claims, problem] of rows) {
    const title = problem === undefined ? 'is good' : `is refused (${problem})`;
    it(`with ${JSON.stringify(claims)} ${title}`, () => {
      assert.equal(timeProblem(claims, now * 1000, ownLeeway), problem);
    });
  }
});

describe("a token of another's issuer", () => {
  const rows: readonly [JsonObject, string | undefined][] = [
    [{ exp: now }, undefined],
    [{ exp: now - 0.5 }, 'it has expired'],
    [{ nbf: now + 60 }, undefined],
    [{ nbf: now + 60.5 }, 'it is not valid yet'],
    [{ iat: now + 1000 }, undefined],
    [{ iat: 'now' }, 'the claim iat is no number'],
  ];
  for (const [claims, problem] of rows) {
    const title = problem === undefined ? 'is good' : `is refused (${problem})`;
    it(`with ${JSON.stringify(claims)} ${title}`, () => {
      assert.equal(timeProblem(claims, now * 1000, issuerLeeway), problem);
    });
  }
});
