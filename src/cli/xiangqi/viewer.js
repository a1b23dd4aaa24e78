
// Records of xiangqi: a play is two signs for the points it goes from and to, counted from # at the top left; the
// board of a node is played anew from the start, so that what was captured is back on the way back.
const boardOfStones = { draw, called };
const point90 = sign => sign.charCodeAt(0) - 35;
const iccs = point => letters[point % 9] + (9 - Math.floor(point / 9));
const isXiangqi = () => game.record.game === "xiangqi";

function step(n) {
  const text = game.record.plays.substr(n * 3, 3), ends = text.slice(1);
  return n === 0 || ends === ".." || ends === "--" ? null : [point90(ends[0]), point90(ends[1])];
}

const isPass = n => game.record.plays.substr(n * 3 + 1, 2) === "--";

function pieces(path) {
  const found = new Map(Object.entries(game.record.pieces).map(([point, piece]) => [Number(point), piece]));
  let captured = null;
  for (const n of path) {
    const move = step(n);
    captured = null;
    if (!move) continue;
    captured = found.get(move[1]) ?? null;
    const piece = found.get(move[0]);
    found.delete(move[0]);
    if (piece) found.set(move[1], piece);
  }
  return { found, captured };
}

called = n => isXiangqi() ? game.record.names[n] || "·" : boardOfStones.called(n);
draw = () => isXiangqi() ? drawPieces() : boardOfStones.draw();

function drawPieces() {
  const cell = 50, left = 62, top = 34, w = left + 8 * cell + 36, h = top + 9 * cell + 62;
  const line90 = "#5a4a2a", mark = "#0a6fc2", board = element("board");
  board.replaceChildren();
  board.setAttribute("viewBox", `0 0 ${w} ${h}`);
  const at = point => [left + point % 9 * cell, top + Math.floor(point / 9) * cell];
  let lines = "", corners = "";
  for (let y = 0; y < 10; y++) lines += `M${left} ${top + y * cell}h${8 * cell}`;
  for (let x = 0; x < 9; x++) {
    const long = x === 0 || x === 8;
    lines += long ? `M${left + x * cell} ${top}v${9 * cell}` : `M${left + x * cell} ${top}v${4 * cell}m0 ${cell}v${4 * cell}`;
  }
  for (const y of [0, 7]) lines += `M${left + 3 * cell} ${top + y * cell}l${2 * cell} ${2 * cell}m0 ${-2 * cell}l${-2 * cell} ${2 * cell}`;
  for (const y of [2, 3, 6, 7]) for (let x = 0; x < 9; x++) {
    if (y % 5 === 2 ? x !== 1 && x !== 7 : x % 2) continue;
    for (const [e, s] of [[-1, -1], [1, -1], [-1, 1], [1, 1]])
      if (x + e >= 0 && x + e < 9) corners += `M${left + x * cell + 13 * e} ${top + y * cell + 4 * s}h${-9 * e}v${9 * s}`;
  }
  board.append(svg("path", { d: lines + corners, stroke: line90, "stroke-width": 1.2, fill: "none" }));
  board.append(svg("rect", { x: left - 5, y: top - 5, width: 8 * cell + 10, height: 9 * cell + 10, stroke: line90, "stroke-width": 3, fill: "none" }));
  const words = (x, y, text, ink, size) => board.append(svg("text",
    { x, y: y + size * .36, "font-size": size, fill: ink, "text-anchor": "middle", "font-family": "system-ui, sans-serif" }, text));
  const character = (x, y, sign, scale, ink) => signs[sign].startsWith("M") ? board.append(svg("path", {
    d: signs[sign], transform: `translate(${x - 50 * scale} ${y - 50 * scale}) scale(${scale})`, stroke: ink, "stroke-width": 8.4,
    "stroke-linecap": "round", "stroke-linejoin": "round", fill: "none" })) : words(x, y, signs[sign], ink, 84 * scale);
  ["<", "(", ")", ">"].forEach((sign, n) => signs[sign] && character(left + [1.5, 2.5, 5.5, 6.5][n] * cell, top + 4.5 * cell, sign, .31, line90));
  for (let x = 0; x < 9; x++) words(left + x * cell, top + 9 * cell + 42, letters[x], line90, 17);
  for (let y = 0; y < 10; y++) words(left - 40, top + y * cell, 9 - y, line90, 17);

  const path = line(node), { found, captured } = pieces(path);
  for (const [point, piece] of found) {
    const [x, y] = at(point), ink = piece < "a" ? "#c8102e" : "#141414";
    board.append(svg("circle", { cx: x, cy: y, r: 22.5, fill: "#fdf8ec", stroke: ink, "stroke-width": 1.8 }));
    board.append(svg("circle", { cx: x, cy: y, r: 19.5, fill: "none", stroke: ink, "stroke-width": .9 }));
    character(x, y, piece, .285, ink);
  }
  const here = step(node);
  for (const point of here ?? []) {
    const [x, y] = at(point);
    let ends = "";
    for (const [e, s] of [[-1, -1], [1, -1], [-1, 1], [1, 1]]) ends += `M${x + 14 * e} ${y + 23 * s}h${9 * e}v${-9 * s}`;
    board.append(svg("path", { d: ends, stroke: mark, "stroke-width": 2.6, fill: "none" }));
  }
  const shapes = {
    triangle: "M0-20l17 30h-34z", square: "M-15-15h30v30h-30z", cross: "M-14-14l28 28m0-28l-28 28",
    circle: "M-17 0a17 17 0 1 0 34 0a17 17 0 1 0-34 0", selected: "M-20-20h40v40h-40z",
  };
  const sgf = point => { const [x, y] = place(point); return y * 9 + x; };
  for (const [point, shape] of notes(node).marks ?? []) {
    const [x, y] = at(sgf(point));
    board.append(svg("path", { d: shapes[shape], transform: `translate(${x} ${y})`, fill: shape === "selected" ? "#e07b0040" : "none", stroke: "#e07b00", "stroke-width": 2.6 }));
  }
  const next = children(node);
  const texts = next.filter(n => step(n) && notes(n).text).map(n => [step(n)[1], notes(n).text[0]]);
  for (const [point, text] of [...(notes(node).labels ?? []).map(([point, text]) => [sgf(point), text]), ...texts]) {
    let [x, y] = at(point);
    if (found.has(point)) { x += 15; y += 15; }
    const all = [...text].slice(0, 9), shown = all.length > 8 ? all.slice(0, 8).join("") + ".." : text;
    board.append(svg("rect", { x: x - 12, y: y - 11, width: 24, height: 22, rx: 4, fill: "var(--board)" }));
    words(x, y, shown, mark, Math.max(9, Math.min(19, 46 / Math.max(1, Math.min(8, all.length)))));
  }
  for (const n of next) {
    if (!step(n)) continue;
    const [[x1, y1], [x2, y2]] = step(n).map(at), far = Math.hypot(x2 - x1, y2 - y1) || 1, [dx, dy] = [(x2 - x1) / far, (y2 - y1) / far];
    const [x, y] = [x2 - 8 * dx, y2 - 8 * dy];
    const arrow = `M${x1 + 22 * dx} ${y1 + 22 * dy}L${x} ${y}M${x - 9 * dx - 6 * dy} ${y - 9 * dy + 6 * dx}L${x} ${y}L${x - 9 * dx + 6 * dy} ${y - 9 * dy - 6 * dx}`;
    board.append(svg("path", { d: arrow, stroke: "#2a8c4a", "stroke-width": n === next[0] ? 3.4 : 2, opacity: .75, fill: "none", "stroke-linecap": "round", "stroke-linejoin": "round" }));
    const spot = svg("rect", { x: x2 - 25, y: y2 - 25, width: 50, height: 50, fill: "transparent", class: "point" });
    spot.addEventListener("click", () => go(n));
    board.append(spot);
  }

  const tags = Object.fromEntries(game.record.tags);
  element("title").textContent = tags.Red || tags.Black ? `${tags.Red ?? "?"} – ${tags.Black ?? "?"}` : tags.Title ?? tags.Event ?? document.title;
  element("facts").textContent = [tags.Event, tags.Date, game.record.result].filter(Boolean).join(" · ");
  const plies = path.filter(n => step(n) || isPass(n)), red = (game.record.first === "red") === (plies.length % 2 === 0);
  const name = n => [...new Set([called(n), step(n)?.map(iccs).join("") ?? called(n)])].join(" ");
  const took = captured ? ` takes ${captured}` : "";
  element("where").textContent = `${path.length ? path.slice(-12).map(called).join(" ") : "start"} (ply ${plies.length}${took}, ${red ? "Red" : "Black"} to move)`;
  board.setAttribute("aria-label", "board, " + element("where").textContent);
  const comment = (notes(node).comment ?? []).slice();
  if (notes(node).value) comment.push("value " + notes(node).value[0]);
  element("comment").textContent = comment.join("\n");
  element("next").replaceChildren(...next.map(n => {
    const button = document.createElement("button");
    button.textContent = name(n);
    if (notes(n).text) { const b = document.createElement("b"); b.textContent = notes(n).text[0]; button.append(b); }
    button.addEventListener("click", () => go(n));
    return button;
  }));
  element("first").disabled = element("back").disabled = node === 0;
  element("on").disabled = element("end").disabled = game.first[node] < 0;
}

records.forEach((record, n) => {
  if (record.game !== "xiangqi") return;
  const tags = Object.fromEntries(record.tags);
  element("games").options[n].text = `${n + 1}. ${tags.Red ?? "?"} – ${tags.Black ?? "?"} ${record.result ?? ""}`;
});
