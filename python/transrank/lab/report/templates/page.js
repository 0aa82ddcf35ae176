// SPDX-License-Identifier: BSD-3-Clause
// Draws each figure anew as a live one when it comes into view: it fits its place, its key hides
// and shows curves, pointing at it reads all curves. Until then, and wherever scripts do not run,
// the static drawing stands in its place.
(() => {
  "use strict";
  const drawings = JSON.parse(document.getElementById("transrank-figures").textContent);
  const live = new Map();
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);
  document.documentElement.classList.add("js");

  function element(name, text) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function hiddenSeries(figure) {
    return [...figure.querySelectorAll(".key input:not(:checked)")].map((box) => box.value);
  }

  function reading(figure, series, text) {
    const row = element("tr");
    const box = figure.querySelector(`.key input[value="${CSS.escape(series)}"]`);
    const name = element("td");
    if (box) {
      const dot = element("i");
      dot.style.background = box.dataset.color;
      name.append(dot, box.dataset.label);
    } else {
      name.append(series);
    }
    row.append(name, element("td", text));
    return row;
  }

  function fill(figure, [heading, readings]) {
    const hidden = new Set(hiddenSeries(figure));
    const table = element("table");
    for (const [series, text] of readings) {
      if (!hidden.has(series)) table.append(reading(figure, series, text));
    }
    tip.replaceChildren(element("strong", heading), table);
  }

  function place(event) {
    const gap = 14;
    const { width, height } = tip.getBoundingClientRect();
    const right = event.clientX + gap + width < innerWidth;
    const left = right ? event.clientX + gap : event.clientX - gap - width;
    tip.style.left = `${Math.max(4, Math.min(left, innerWidth - width - 4))}px`;
    tip.style.top = `${Math.max(4, Math.min(event.clientY + gap, innerHeight - height - 4))}px`;
  }

  function tooltip(figure) {
    return (_, event, __, value) => {
      tip.hidden = !Array.isArray(value);
      if (tip.hidden) return;
      fill(figure, value);
      place(event);
    };
  }

  // Rows are stored without the names of their fields; null is a field that a row does not have.
  function unpacked({ fields, rows }) {
    return rows.map((row) =>
      Object.fromEntries(fields.map((field, i) => [field, row[i]]).filter(([, value]) => value !== null)),
    );
  }

  async function draw(drawing) {
    const figure = drawing.closest("figure");
    const stored = drawings.panels[drawing.dataset.panel];
    const data = { values: unpacked(stored.data.values) };
    const spec = { ...stored, data };
    const fits = spec.autosize.type === "fit-x";
    if (fits) spec.width = drawing.clientWidth;
    const place = element("div");
    const { view } = await vegaEmbed(place, spec, {
      actions: false,
      config: drawings.config,
      defaultStyle: false,
      mode: "vega-lite",
      renderer: "svg",
      tooltip: tooltip(figure),
    });
    if (spec.params) await view.signal("hidden", hiddenSeries(figure)).runAsync();
    drawing.replaceChildren(place);
    drawing.classList.add("live");
    live.set(drawing, view);
    if (fits) sizes.observe(drawing);
  }

  function toggle(figure) {
    for (const drawing of figure.querySelectorAll(".drawing")) {
      live.get(drawing)?.signal("hidden", hiddenSeries(figure)).runAsync();
    }
  }

  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const view = live.get(target);
      if (view && target.clientWidth > 0 && view.width() !== target.clientWidth) {
        view.width(target.clientWidth).runAsync();
      }
    }
  });

  const sights = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        sights.unobserve(target);
        draw(target).catch((error) => console.error(error));
      }
    },
    { rootMargin: "400px" },
  );

  for (const drawing of document.querySelectorAll(".drawing[data-panel]")) sights.observe(drawing);
  for (const figure of document.querySelectorAll("figure")) {
    figure.querySelector(".key")?.addEventListener("change", () => toggle(figure));
  }
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
  });
  document.getElementById("save-data")?.addEventListener("click", () => {
    const data = document.getElementById("transrank-data").textContent;
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([data], { type: "application/json" }));
    link.download = "transrank-data.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 0);
  });
})();
